"""Home on a warm server: seconds from the address to a painted heatmap (desktop), and whether a phone shows it without scrolling."""

from __future__ import annotations

import contextlib
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from benchmarks.report import last_line, table

ROOT = Path(__file__).parents[1]
CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
PAINTED = ".js-plotly-plot .heatmaplayer image, .js-plotly-plot .heatmaplayer path"


@contextlib.contextmanager
def server() -> Iterator[str]:
    """A dashboard on a free port, warm: `/ready` has answered."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py", "--server.port", str(port), "--server.headless", "true"]
    with tempfile.TemporaryDirectory() as home:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"S2S_HOME": home}, **quiet)
        try:
            url = f"http://127.0.0.1:{port}"
            wait_for(f"{url}/ready")
            yield url
        finally:
            process.terminate()
            process.wait(20)


def wait_for(address: str, seconds: float = 90) -> None:
    """Until the address answers."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            if urllib.request.urlopen(address, timeout=2).status == 200:
                return
        time.sleep(0.1)
    raise SystemExit(f"{address} did not answer within {seconds:.0f} s")


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
    with server() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        first_paint(browser, url, 1440, 900)
        for name, width, height in (("desktop", 1440, 900), ("phone", 420, 860)):
            visits = [first_paint(browser, url, width, height) for _ in range(5)]
            keys = ("first contentful paint", "text", "heatmap", "picture_top", "picture_bottom")
            medians = {key: statistics.median(visit[key] for visit in visits) for key in keys}
            rows.append({"screen": name, **medians, "visible without scrolling": all(visit["visible"] for visit in visits)})
        browser.close()
    table(rows)
    last_line("home", rows)


if __name__ == "__main__":
    main()
