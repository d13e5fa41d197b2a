import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.server import PATIENCE, Server, serving
from tests.hub.standin import Hub

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
]
DESKTOP = {"width": 1440, "height": 900}

# Opens an address in a browser context with these options.
Open = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)
            # a browser on a busy machine may miss a moment; CI counts what had to be repeated
            item.add_marker(pytest.mark.flaky(reruns=2))
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="no Chromium: apt-get install -y chromium"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE * 1000)
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def hub() -> Iterator[Hub]:
    """The hub of datasets that the server knows: no test looks anything up elsewhere."""
    with Hub({}) as hub:
        yield hub


@pytest.fixture(scope="session")
def shared(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that train nothing."""
    home = tmp_path_factory.mktemp("server")
    with serving(home, HF_ENDPOINT=hub.url, S2S_WORKER="elsewhere") as server:
        yield server


@pytest.fixture
def server(shared: Server) -> str:
    return shared.address


class Tabs:
    """One tab for each kind of context, kept: in a fresh one Chromium compiles all scripts again, for seconds."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.kept: dict[str, Page] = {}
        self.requested: list[str] = []

    def open(
        self,
        address: str,
        *,
        color_scheme: Any = "light",
        reduced_motion: Any = "reduce",
        **context: Any,
    ) -> Page:
        """Opens an address in the tab of a context with these options; leaves what the tab showed.

        Placeholders that pulse while a page loads are a quarter of what Chromium computes, so they are still.
        """
        wanted = {"viewport": DESKTOP, **context}
        kind = repr(sorted(wanted.items()))
        if kind not in self.kept:
            self.kept[kind] = self._tab(wanted)
        page = self.kept[kind]
        page.set_viewport_size(wanted["viewport"])
        page.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
        page.goto(address)
        return page

    def _tab(self, options: dict[str, Any]) -> Page:
        context = self.browser.new_context(**options)
        context.set_default_timeout(PATIENCE * 1000)
        context.on("request", lambda request: self.requested.append(request.url))
        page = context.new_page()
        # each look at the page makes Chromium lay it out; it would look at every frame, 60 times a second
        page.wait_for_function = partial(page.wait_for_function, polling=50)  # type: ignore[method-assign]
        return page

    def exceptions(self) -> int:
        """How many exceptions the tabs show."""
        return sum(page.get_by_test_id("stException").count() for page in self.kept.values())

    def clear(self) -> None:
        """Leaves every page: a test finds no address, cookie, message or error of another."""
        for page in self.kept.values():
            page.goto("about:blank")
            page.clear_console_messages()
            page.clear_page_errors()
            page.context.clear_cookies()
        self.requested.clear()


@pytest.fixture(scope="session")
def tabs(browser: Browser) -> Tabs:
    return Tabs(browser)


@contextmanager
def visiting(tabs: Tabs) -> Iterator[Open]:
    """Opens addresses; afterwards no page may show an exception or have requested another host."""
    yield tabs.open
    n_exceptions = tabs.exceptions()
    hosts = {urlsplit(url).hostname for url in tabs.requested if url.startswith("http")}
    tabs.clear()
    assert n_exceptions == 0
    assert hosts <= {"127.0.0.1", "localhost"}


@pytest.fixture
def visit(tabs: Tabs) -> Iterator[Open]:
    """A visit of this test's own."""
    with visiting(tabs) as visit:
        yield visit
