"""Streamlit's own document at every page's address, with the script that has to run before Streamlit's."""

from __future__ import annotations

import functools
import re

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from s2s.ui.canvas import HISTORY
from s2s.ui.shell.pages import OPERATOR, PAGES, WORKSPACE, Page, browser_title
from s2s.ui.streamlit_parts import STATIC

TITLE = re.compile(r"<title>.*?</title>")


def page_routes() -> list[Route]:
    """One for each page; of an address it reads the page alone."""
    return [_route(page) for page in (*PAGES, WORKSPACE, OPERATOR)]


def _route(page: Page) -> Route:
    async def answer(request: Request) -> HTMLResponse:
        return HTMLResponse(_document(page), headers={"cache-control": "no-cache"})

    return Route(f"/{page.url_path}", answer)


@functools.cache
def _document(page: Page) -> str:
    head = f'<title>{browser_title(page, "")}</title>\n<script src="./{HISTORY}"></script>'
    document = (STATIC / "index.html").read_text(encoding="utf-8")
    return TITLE.sub(lambda _: head, document, count=1)
