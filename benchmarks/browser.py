"""Chromium on a page of the dashboard; waits for visible conditions instead of fixed times."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
QUIET = '[data-testid="stApp"][data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"]'
SETTLED = """() => !document.querySelector('[data-stale="true"], [data-testid="stSkeleton"], [data-testid="stSpinner"]')
  && document.querySelector('[data-testid="stMainBlockContainer"] [data-testid="stHeading"]')
  && [...document.querySelectorAll('.js-plotly-plot')]
    .every(plot => plot.querySelector('.main-svg') && plot.calcdata)"""
PATIENCE = 60_000  # milliseconds


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """The system's Chromium, headless."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        yield browser
        browser.close()


def new_page(browser: Browser, **context: Any) -> Page:
    """A page in a new context, with an empty cache. Closing `page.context` closes it."""
    page = browser.new_context(**context).new_page()
    page.set_default_timeout(PATIENCE)
    return page


def wait_idle(page: Page) -> None:
    """Wait until the script has ended and every figure is drawn; twice, since a script may run again at once."""
    for _ in range(2):
        page.locator(QUIET).wait_for()
        page.wait_for_function(SETTLED)
        page.wait_for_timeout(150)
