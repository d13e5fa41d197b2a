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
from urllib.parse import urlsplit

import psutil
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
]
PATIENCE = 60  # seconds; nothing here takes ten on a quiet machine

# A page that is opened: an address below the server's, and what the browser context is like.
Open = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="no Chromium: apt-get install -y chromium"))


class Server:
    """The dashboard as `streamlit run` starts it, on a port and in a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        where = [
            "--server.port",
            str(self.port),
            "--server.address",
            "127.0.0.1",
            "--server.headless",
            "true",
        ]
        command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py", *where]
        env = {**os.environ, "S2S_HOME": str(self.home), "S2S_WORKER": ""}
        with (self.home / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        wait_until_ready(self.address, self.process)

    def kill(self) -> None:
        """As the kernel does it when memory runs out."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """The server, and what it started that outlives it."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
        for worker in self.workers():
            with suppress(psutil.Error):
                worker.kill()

    def workers(self) -> list[psutil.Process]:
        """Worker and trainer of this home, the trainer last."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.environ().get("S2S_HOME") == str(self.home) and "s2s" in " ".join(
                    process.cmdline()[:4]
                ):
                    found.append(process)
        return sorted(found, key=lambda process: process.create_time())


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """A running server."""
    server = Server(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def wait_until_ready(address: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"{address}/ready", timeout=5) as answer:
            assert answer.read() == b'{"ready":true}'
            return
        time.sleep(0.05)
    raise RuntimeError("the server did not come up; its log is server.log in its home")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One server for all tests but those that need a fresh one."""
    with serving(tmp_path_factory.mktemp("server")) as server:
        yield server.address


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[str]:
    """A server that nobody has visited."""
    with serving(tmp_path) as server:
        yield server.address


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server that nobody has visited, and that a test may kill."""
    with serving(tmp_path) as server:
        yield server


@contextmanager
def visiting(browser: Browser) -> Iterator[Open]:
    """Opens an address in a fresh browser; in the end no page may show an error, and none has asked another host."""
    contexts: list[BrowserContext] = []
    asked: list[str] = []

    def open_page(address: str, **context: object) -> Page:
        fresh = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **context})
        fresh.set_default_timeout(PATIENCE * 1000)
        contexts.append(fresh)
        page = fresh.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        return page

    yield open_page
    errors = [
        page.get_by_test_id("stException").count() for context in contexts for page in context.pages
    ]
    for context in contexts:
        context.close()
    assert not any(errors)
    assert not [
        url for url in asked if url.startswith("http") and urlsplit(url).hostname != "127.0.0.1"
    ]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Open]:
    """A fresh browser for each address."""
    with visiting(browser) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def tabs(browser: Browser) -> Iterator[Open]:
    """One browser of each kind, taken from address to address: a fresh one opens a window and compiles all scripts anew."""
    kept: dict[str, Page] = {}
    with visiting(browser) as open_page:

        def open_again(address: str, **context: object) -> Page:
            kind = repr(sorted(context.items()))
            if kind in kept:
                kept[kind].goto(address)
            else:
                kept[kind] = open_page(address, **context)
            return kept[kind]

        yield open_again


@pytest.fixture
def revisit(tabs: Open) -> Iterator[Open]:
    """As `visit`, where it is no matter what the browser has seen before."""
    pages: list[Page] = []

    def open_again(address: str, **context: object) -> Page:
        pages.append(tabs(address, **context))
        return pages[-1]

    yield open_again
    errors = [page.get_by_test_id("stException").count() for page in pages]
    for page in pages:
        page.goto("about:blank")
    assert not any(errors)
