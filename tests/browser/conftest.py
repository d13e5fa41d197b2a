import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"]
PATIENCE = 60  # seconds; nothing here takes ten on a quiet machine

# A page that is opened: an address below the server's, and what the browser context is like.
Open = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="no Chromium: apt-get install -y chromium"))


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """A server of its own on a free port, as `streamlit run` starts it; gives its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    where = ["--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"]
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py", *where]
    with (folder / "server.log").open("wb") as log:
        env = {**os.environ, "S2S_HOME": str(folder)}
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            wait_until_ready(f"http://127.0.0.1:{port}", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_until_ready(address: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"{address}/ready", timeout=5) as answer:
            assert answer.read() == b'{"ready":true}'
            return
        time.sleep(0.05)
    raise RuntimeError("the server did not come up")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One server for all tests but those that need a fresh one."""
    with serving(tmp_path_factory.mktemp("server")) as address:
        yield address


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[str]:
    """A server that nobody has visited."""
    with serving(tmp_path) as address:
        yield address


@pytest.fixture
def visit(browser: Browser) -> Iterator[Open]:
    """Opens an address in a fresh browser; in the end no page of the test may have shown an error or asked another host."""
    contexts: list[BrowserContext] = []
    foreign: list[str] = []

    def open_page(address: str, **context: object) -> Page:
        fresh = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **context})
        fresh.set_default_timeout(PATIENCE * 1000)
        contexts.append(fresh)
        page = fresh.new_page()
        host = address.split("/")[2]
        page.on("request", lambda request: foreign.append(request.url) if request.url.split("/")[2:3] not in ([host], [""]) else None)
        page.goto(address)
        return page

    yield open_page
    errors = [page.get_by_test_id("stException").count() for context in contexts for page in context.pages]
    for context in contexts:
        context.close()
    assert not any(errors)
    assert not [url for url in foreign if url.startswith("http")]
