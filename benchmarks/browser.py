"""Chromium on a page of the dashboard, waiting for what can be seen instead of for time."""

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
STILL = """() => !document.querySelector('[data-stale="true"], [data-testid="stSkeleton"], [data-testid="stSpinner"]')
  && document.querySelector('[data-testid="stMainBlockContainer"] [data-testid="stHeading"]')
  && [...document.querySelectorAll('.js-plotly-plot')].every(plot => plot.querySelector('.main-svg') && plot.calcdata)"""
PATIENCE = 60_000  # milliseconds


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """The system's, without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        yield browser
        browser.close()


def new_page(browser: Browser, **context: Any) -> Page:
    """In a context of its own: an empty cache. Closing `page.context` ends it."""
    page = browser.new_context(**context).new_page()
    page.set_default_timeout(PATIENCE)
    return page


def wait_idle(page: Page) -> None:
    """Connected, no script running, nothing stale, every picture drawn; twice, as a script may run again at once."""
    for _ in range(2):
        page.locator(QUIET).wait_for()
        page.wait_for_function(STILL)
        page.wait_for_timeout(150)
