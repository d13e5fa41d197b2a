"""Home on a warm server: seconds to the static heatmap and to Plotly's, and whether they fit on the first screen.

Then what each page loads in a browser that has nothing of it yet: megabytes on the wire by kind of file, and by file
for Home, those of at least 10 kB. `as stored`: the same files before they are compressed.
"""

from __future__ import annotations

import statistics
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser

from benchmarks.app import PAGES
from benchmarks.browser import chromium, new_page, wait_idle
from benchmarks.report import last_line, options, table
from benchmarks.serving import server

SMALL = 10_000  # bytes
KINDS = {"PlotlyChart": "Plotly", "/static/js/": "other scripts", "/static/media/": "fonts"}
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


def loaded(browser: Browser, address: str) -> dict[str, tuple[int, int]]:
    """What a page loads until it is idle: bytes on the wire and unpacked, by the path of a file."""
    page = new_page(browser)
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    paths: dict[str, str] = {}
    sent: Counter[str] = Counter()
    unpacked: Counter[str] = Counter()

    def answered(event: dict[str, Any]) -> None:
        paths[event["requestId"]] = urlsplit(event["response"]["url"]).path

    session.on("Network.responseReceived", answered)
    session.on(
        "Network.dataReceived",
        lambda event: unpacked.update({event["requestId"]: event["dataLength"]}),
    )
    session.on(
        "Network.loadingFinished",
        lambda event: sent.update({event["requestId"]: event["encodedDataLength"]}),
    )
    page.goto(address)
    wait_idle(page)
    page.context.close()
    return {paths[id]: (int(n), unpacked[id]) for id, n in sent.items() if id in paths}


def by_kind(page: str, files: dict[str, tuple[int, int]]) -> dict[str, Any]:
    """Megabytes of a page."""
    sizes = dict.fromkeys((*KINDS.values(), "the rest"), 0.0)
    for path, (sent, _) in files.items():
        kind = next((KINDS[part] for part in KINDS if part in path), "the rest")
        sizes[kind] += sent / 1e6
    totals = {"MB": sum(sizes.values()), "as stored": sum(n for _, n in files.values()) / 1e6}
    return {"page": page, **totals, **sizes}


def main() -> None:
    """Medians of five fresh visits on each of two screens; one visit of each page."""
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
        visited = {page.title: loaded(browser, f"{url}/{page.url_path}") for page in PAGES}
    table(rows)
    print()
    sizes = [by_kind(*each) for each in visited.items()]
    table(sizes)
    print()
    first, *_ = visited.values()
    large = [each for each in first.items() if each[1][0] > SMALL]
    large.sort(key=lambda each: -each[1][0])
    files = [{"file": path, "MB": sent / 1e6, "as stored": n / 1e6} for path, (sent, n) in large]
    table(files)
    last_line("home", {"screens": rows, "loaded": sizes, "files of Home": files}, arguments)


if __name__ == "__main__":
    main()
