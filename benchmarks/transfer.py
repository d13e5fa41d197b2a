"""What a page costs in bytes: a first visit, a visit with a warm cache, and one interaction, in Chromium.

Bytes are what Chromium's DevTools protocol counts: encoded bytes of HTTP responses, headers included, and payloads of
the websocket's messages in both directions (its frames' headers and TLS are not counted; a few bytes per message). The
first visit has an empty cache, as of somebody who never was here; the second one reloads the page in the same browser.
An interaction is one change of a widget, named in the table. No proxy compresses anything; the app compresses scripts
and styles. The size of the files does not depend on what else the machine does. Last, the files of at least 10 kB.
"""

from __future__ import annotations

import base64
import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page

from benchmarks.browser import chromium, new_page, wait_idle
from benchmarks.report import last_line, options, table
from benchmarks.serving import server
from s2s.ui.shell import pages

FILES = {"PlotlyChart": "Plotly", "/static/js/": "other scripts", "/static/media/": "fonts"}
LARGE = 10_000  # bytes
SCREEN = {"width": 1440, "height": 900}
MAIN = '[data-testid="stMainBlockContainer"]'
SENTENCE = "the red house"

# By address: a button of a group, or nothing where a visitor changes no such thing; elsewhere a sentence is typed.
BUTTONS: Mapping[str, str] = MappingProxyType(
    {
        "data": "Statistics",
        "train": "BLEU",
        "runs": "",
        "evaluate": "mbr",
        "heads": "Alignment",
        "lessons": "Glossary",
        "positions": "Waves",
        "architecture": "Growth",
    }
)


class Counted:
    """Bytes that a page has transferred since it was last asked."""

    def __init__(self, page: Page) -> None:
        self.bytes: Counter[str] = Counter()
        self.files: Counter[str] = Counter()  # by path
        self._paths: dict[str, str] = {}
        protocol = page.context.new_cdp_session(page)
        protocol.on("Network.responseReceived", self._answered)
        protocol.on("Network.loadingFinished", self._loaded)
        protocol.on("Network.webSocketFrameReceived", lambda event: self._frame("in", event))
        protocol.on("Network.webSocketFrameSent", lambda event: self._frame("out", event))
        protocol.send("Network.enable")

    def _answered(self, event: Mapping[str, Any]) -> None:
        self._paths[event["requestId"]] = urlsplit(event["response"]["url"]).path

    def _loaded(self, event: Mapping[str, Any]) -> None:
        path = self._paths.get(event["requestId"], "")
        kind = next((FILES[part] for part in FILES if part in path), "the rest")
        n = int(event["encodedDataLength"])
        self.bytes.update({"http": n, kind: n})
        self.files[path] += n
        self.bytes["requests"] += 1

    def _frame(self, direction: str, event: Mapping[str, Any]) -> None:
        frame = event["response"]
        is_binary = frame["opcode"] == 2
        payload = frame["payloadData"]
        self.bytes[direction] += len(base64.b64decode(payload) if is_binary else payload.encode())

    def take(self) -> Counter[str]:
        """What came since the last call."""
        taken = self.bytes
        self.bytes = Counter()
        return taken


def kilobytes(found: Mapping[str, int], *kinds: str) -> float:
    """Of these kinds, in 1,000 bytes."""
    return sum(found.get(kind, 0) for kind in kinds) / 1000


def interact(page: Page, path: str) -> str:
    """Change one widget; returns what was done."""
    name = BUTTONS.get(path)
    if name is None:
        box = page.locator(MAIN).get_by_role("textbox").first
        box.fill(SENTENCE)
        box.press("Enter")
        done = "another sentence"
    elif name:
        group = page.locator(f'{MAIN} [data-testid="stButtonGroup"] button:visible')
        group.filter(has_text=name).first.click()
        done = name
    else:
        return ""
    page.wait_for_timeout(600)  # until the page has told the server
    return done


def measured(
    browser: Browser, url: str, title: str, path: str
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """One page, and the files of its first visit."""
    with opened(browser) as (page, counted):
        page.goto(f"{url}/{path}")
        wait_idle(page)
        first = counted.take()
        files = counted.files.most_common()
        page.reload()
        wait_idle(page)
        again = counted.take()
        done = interact(page, path)
        wait_idle(page)
        change = counted.take()
    row = {
        "page": title,
        "first visit kB": kilobytes(first, "http", "in", "out"),
        "requests": first["requests"],
        **{f"of it {kind} kB": kilobytes(first, kind) for kind in FILES.values()},
        "of it websocket kB": kilobytes(first, "in", "out"),
        "warm cache kB": kilobytes(again, "http", "in", "out"),
        "changed": done,
        "interaction kB": kilobytes(change, "http", "in", "out") if done else None,
        "of it sent kB": kilobytes(change, "out") if done else None,
    }
    return row, [{"page": title, "file": name, "kB": n / 1000} for name, n in files if n > LARGE]


@contextlib.contextmanager
def opened(browser: Browser) -> Iterator[tuple[Page, Counted]]:
    """A page in a browser that never was here."""
    page = new_page(browser, viewport=SCREEN)
    yield page, Counted(page)
    page.context.close()


def main() -> None:
    """A row per page."""
    parser = options(__doc__)
    parser.add_argument("--only", nargs="*", help="titles of pages")
    arguments = parser.parse_args()
    rows, files = [], []
    with server() as served, chromium() as browser:
        for row in pages.PAGES:
            if not arguments.only or row.title in arguments.only:
                found, loaded = measured(browser, served.url, row.title, row.url_path)
                rows.append(found)
                files += loaded
    table(rows)
    print()
    table(files)
    last_line("transfer", {"rows": rows, "files": files}, arguments)


if __name__ == "__main__":
    main()
