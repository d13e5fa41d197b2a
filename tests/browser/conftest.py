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
PATIENCE = 60  # seconds; on an idle machine nothing here takes ten

# Opens an address in a browser context with these options.
Open = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="no Chromium: apt-get install -y chromium"))


class Server:
    """The dashboard as `streamlit run` starts it, with its own port and `S2S_HOME`."""

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
        """SIGKILL, as when memory runs out."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Stop the server, and the processes it started that outlive it."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
        for worker in self.workers():
            with suppress(psutil.Error):
                worker.kill()

    def workers(self) -> list[psutil.Process]:
        """The worker and the training process of this `S2S_HOME`, the latter last."""
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
    """One server for all tests except those that need a fresh one."""
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
    """Opens addresses in fresh contexts; afterwards no page may show an exception or have requested another host."""
    contexts: list[BrowserContext] = []
    requested: list[str] = []

    def open_page(address: str, **context: object) -> Page:
        fresh = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **context})
        fresh.set_default_timeout(PATIENCE * 1000)
        contexts.append(fresh)
        page = fresh.new_page()
        page.on("request", lambda request: requested.append(request.url))
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
        url for url in requested if url.startswith("http") and urlsplit(url).hostname != "127.0.0.1"
    ]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Open]:
    """A fresh browser context for each address."""
    with visiting(browser) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def tabs(browser: Browser) -> Iterator[Open]:
    """One tab per kind of context, reused for every address: a fresh one would compile all scripts again."""
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
    """Like `visit`, for tests that do not depend on what the browser has opened before."""
    pages: list[Page] = []

    def open_again(address: str, **context: object) -> Page:
        pages.append(tabs(address, **context))
        return pages[-1]

    yield open_again
    errors = [page.get_by_test_id("stException").count() for page in pages]
    for page in pages:
        page.goto("about:blank")
    assert not any(errors)
