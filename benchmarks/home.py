"""Home on a warm server: seconds from the address to a painted heatmap (desktop), and whether a phone shows it without scrolling."""

from __future__ import annotations

import statistics
import time
from typing import Any

from playwright.sync_api import Browser

from benchmarks.browser import chromium
from benchmarks.report import last_line, table
from benchmarks.serving import server

PAINTED = ".js-plotly-plot .heatmaplayer image, .js-plotly-plot .heatmaplayer path"


def first_paint(browser: Browser, url: str, width: int, height: int) -> dict[str, Any]:
    """A fresh context (no cache): seconds to the first content, the box and the heatmap, and the picture's place."""
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    started = time.perf_counter()
    page.goto(url, wait_until="commit")
    page.locator("input[type=text]").first.wait_for(timeout=60_000)
    text = time.perf_counter() - started
    page.locator(PAINTED).first.wait_for(state="attached", timeout=60_000)
    seconds = time.perf_counter() - started
    first = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000")
    box = page.locator(".js-plotly-plot").first.bounding_box() or {}
    context.close()
    bottom = box["y"] + box["height"]
    place = {"picture_top": box["y"], "picture_bottom": bottom, "visible": bottom <= height}
    return {"first contentful paint": first, "text": text, "heatmap": seconds, **place}


def main() -> None:
    """Five fresh visits on each of two screens; medians."""
    rows = []
    with server() as served, chromium() as browser:
        url = served.url
        first_paint(browser, url, 1440, 900)
        for name, width, height in (("desktop", 1440, 900), ("phone", 420, 860)):
            visits = [first_paint(browser, url, width, height) for _ in range(5)]
            keys = ("first contentful paint", "text", "heatmap", "picture_top", "picture_bottom")
            medians = {key: statistics.median(visit[key] for visit in visits) for key in keys}
            rows.append({"screen": name, **medians, "visible without scrolling": all(visit["visible"] for visit in visits)})
    table(rows)
    last_line("home", rows)


if __name__ == "__main__":
    main()
