"""A hosted server in a frame of another page: `localhost` and `127.0.0.1` are two sites, two ports of one are not."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from s2s.hosted import keys
from tests.browser.conftest import Open
from tests.browser.server import Server, serving
from tests.browser.test_workspace import SECRET, cookies
from tests.hosting import guide

PAIRS = "".join(f"a {n}\tun {n}\n" for n in range(9))
SANDBOX = " ".join(re.findall(r"allow-[a-z-]+", guide.section("In a frame of another site")))
SAID = "This page is in a frame of another site."


@contextmanager
def embedding() -> Iterator[int]:
    """The port of pages that have in a frame what their query names."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            address = self.path.partition("?")[2]
            self.wfile.write(
                f'<iframe src="{address}" sandbox="{SANDBOX}" width=1300 height=850>'.encode()
            )

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    sites = "http://localhost:* http://127.0.0.1:*"
    hosted = {"S2S_HOSTED": "1", "S2S_SECRET": SECRET, "S2S_FRAME_ANCESTORS": sites}
    for name, value in hosted.items():
        monkeypatch.setenv(name, value)
    with serving(tmp_path, S2S_WORKER="elsewhere", **hosted) as server:
        yield server


def kept(page: Page, button: Locator) -> None:
    """A click on it downloads a zip, and the page stays."""
    with page.expect_download() as download:
        button.click()
    assert download.value.path().read_bytes().startswith(b"PK")
    expect(button).to_be_visible()


def framed(page: Page) -> FrameLocator:
    return page.frame_locator("iframe")


def test_in_a_frame_of_another_site_a_visitor_uploads_and_exports_in_another_workspace(
    visit: Open, server: Server
) -> None:
    with embedding() as port:
        page = visit(f"{server.address}/workspace")
        expect(page.get_by_text("You have stored nothing yet")).to_be_visible()
        expect(page.get_by_text(SAID)).to_have_count(0)
        tab = keys.key_of({keys.COOKIE: cookies(page)[keys.COOKIE]})
        assert tab

        page.goto(f"http://127.0.0.1:{port}/?{server.address}/workspace")
        expect(framed(page).get_by_text("You have stored nothing yet")).to_be_visible()
        expect(framed(page).get_by_text(SAID)).to_have_count(0)
        assert keys.FRAMED not in cookies(page)
        assert keys.key_of({keys.COOKIE: cookies(page)[keys.COOKIE]}) == tab

        page.goto(f"http://localhost:{port}/?{server.address}/data")
        expect(framed(page).get_by_text(SAID)).to_be_visible()
        file = {"name": "pairs.tsv", "mimeType": "text/plain", "buffer": PAIRS.encode()}
        framed(page).locator("input[type=file]").first.set_input_files([file])
        expect(framed(page).get_by_text("9 pairs. Words per text")).to_be_visible()
        own = keys.key_of({keys.FRAMED: cookies(page)[keys.FRAMED]})
        assert own
        (stored,) = (server.home / "incoming").glob("*/upload.json")
        assert json.loads(stored.read_text())["owner"] == own.digest != tab.digest

        framed(page).get_by_role("link", name="My workspace").click()
        framed(page).get_by_role("button", name="Prepare the zip").click()
        kept(page, framed(page).get_by_role("link", name="Download my-workspace.zip"))
        framed(page).get_by_role("link", name="Runs").click()
        kept(page, framed(page).get_by_role("button", name="Download the run"))
        assert framed(page).get_by_test_id("stException").count() == 0
