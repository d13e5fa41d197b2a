"""Home on a warm server: seconds to the static heatmap and to Plotly's, and whether they fit on the first screen."""

from __future__ import annotations

import statistics
from typing import Any

from playwright.sync_api import Browser

from benchmarks.browser import chromium
from benchmarks.report import last_line, options, table
from benchmarks.serving import server

PLOTLY = ".js-plotly-plot .heatmaplayer image, .js-plotly-plot .heatmaplayer path"
# Runs before the page's own scripts and records when each element first exists; heatmaps two frames later, when
# painted.
RECORD = f"""window.seen = {{}};
const note = (key, selector, frames) => {{
  if (key in seen || !document.querySelector(selector)) return;
  seen[key] = performance.now();
  const later = n => n ? requestAnimationFrame(() => later(n - 1)) : seen[key] = performance.now();
  later(frames);
}};
new MutationObserver(() => {{
  note('box', 'input[type=text]', 0); note('heatmap', '.static-heatmap i, {PLOTLY}', 2);
  note('interactive', '{PLOTLY}', 2);
}}).observe(document, {{childList: true, subtree: true}});"""


def first_paint(browser: Browser, url: str, width: int, height: int) -> dict[str, Any]:
    """In a fresh context (no cache): seconds to first content, text box, heatmap and Plotly; the heatmap's position."""
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.add_init_script(RECORD)
    page.goto(url, wait_until="commit")
    page.locator(PLOTLY).first.wait_for(state="attached", timeout=60_000)
    page.wait_for_timeout(500)
    seconds = {key: value / 1000 for key, value in page.evaluate("seen").items()}
    first = page.evaluate(
        "performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"
    )
    box: dict[str, Any] = {**(page.locator(".js-plotly-plot").first.bounding_box() or {})}
    context.close()
    bottom = box["y"] + box["height"]
    place = {"picture_top": box["y"], "picture_bottom": bottom, "visible": bottom <= height}
    return {"first contentful paint": first, **seconds, **place}


def main() -> None:
    """Medians of five fresh visits on each of two screens."""
    arguments = options(__doc__).parse_args()
    rows = []
    with server() as served, chromium() as browser:
        url = served.url
        first_paint(browser, url, 1440, 900)
        for name, width, height in (("desktop", 1440, 900), ("phone", 420, 860)):
            visits = [first_paint(browser, url, width, height) for _ in range(5)]
            keys = (
                "first contentful paint",
                "box",
                "heatmap",
                "interactive",
                "picture_top",
                "picture_bottom",
            )
            medians = {key: statistics.median(visit[key] for visit in visits) for key in keys}
            rows.append(
                {
                    "screen": name,
                    **medians,
                    "visible without scrolling": all(visit["visible"] for visit in visits),
                }
            )
    table(rows)
    last_line("home", rows, arguments)


if __name__ == "__main__":
    main()
