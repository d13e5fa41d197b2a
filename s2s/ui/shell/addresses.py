"""The names and the path at which the server answers, and what it answers itself beside the pages."""

from __future__ import annotations

import functools
import re
from collections.abc import MutableMapping
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from s2s import settings
from s2s.hosted import ROUTES, header
from s2s.ui.canvas import HISTORY, history_script, plotly_script
from s2s.ui.shell.curated_views import CURATED, curated_picture
from s2s.ui.shell.endpoints import metrics, ready, robots
from s2s.ui.shell.pages import OPERATOR, PAGES, WORKSPACE, Page, browser_title
from s2s.ui.shell.previews import PICTURE, picture
from s2s.ui.shell.search import SEARCHED, searched
from s2s.ui.shell.short_link_route import short_link
from s2s.ui.streamlit_parts import STATIC

OWN_COMPUTER = frozenset({"localhost", "127.0.0.1", "::1"})
READY = "/ready"  # also without the base path: a health check asks the server itself, and no proxy
METRICS = "/metrics"
TITLE = re.compile(r"<title>.*?</title>")


def base_path() -> str:
    """The beginning of every address of this server (Streamlit's `server.baseUrlPath`): "" or for example "/s2s"."""
    given = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{given}" if given else ""


def routes() -> list[Route]:
    """Addresses of this server that are no Streamlit pages."""
    base = base_path()
    own = [
        Route(READY, ready),
        Route(METRICS, metrics),
        Route("/robots.txt", robots),
        Route("/plotly.min.js", plotly_script),
        Route(f"/{HISTORY}", history_script),
        Route(f"/{SEARCHED}", searched),
        Route("/s/{letters}", short_link),
        Route(f"/{PICTURE}", picture),
        Route(f"/{CURATED}/{{file}}", curated_picture),
        *map(_page_route, (*PAGES, WORKSPACE, OPERATOR)),
        *ROUTES,
    ]
    below = [Route(f"{base}{each.path}", each.endpoint, methods=each.methods) for each in own]
    return [*below, Route(READY, ready)] if base else below


def _page_route(page: Page) -> Route:
    async def answer(request: Request) -> HTMLResponse:
        return HTMLResponse(_document(page), headers={"cache-control": "no-cache"})

    return Route(f"/{page.url_path}", answer)


@functools.cache
def _document(page: Page) -> str:
    head = f'<title>{browser_title(page, "")}</title>\n<script src="./{HISTORY}"></script>'
    document = (STATIC / "index.html").read_text(encoding="utf-8")
    return TITLE.sub(lambda _: head, document, count=1)


def ready_paths() -> frozenset[str]:
    return frozenset({READY, base_path() + READY})


def is_for_machines(path: str) -> bool:
    """Whether a path is used by machines only, which may know the server by another name."""
    return path in ready_paths() or path == base_path() + METRICS


def is_known_host(scope: MutableMapping[str, Any]) -> bool:
    """Whether a request names this server by a name of its own.

    Where a page of another site has a name that leads to this server (DNS rebinding), the request names that site.
    """
    given = header(scope, "host")
    try:
        asked = urlsplit(f"//{given}")
        name, port = asked.hostname, asked.port
    except ValueError:  # no such port, or brackets without an address
        return False
    is_host = asked.netloc == given and "@" not in given and (port is None or port > 0)
    name = (name or "").rstrip(".")
    is_ours = name in OWN_COMPUTER or any(_is_of(name, each) for each in hosts())
    return is_host and name != "" and is_ours


def hosts() -> tuple[str, ...]:
    """The host names of a public server: `S2S_HOSTS`, else what Streamlit knows of them."""
    known = st.get_option("server.allowedHosts") or [st.get_option("browser.serverAddress")]
    return settings.hosts() or tuple(str(each).strip().lower().rstrip(".") for each in known)


def _is_of(name: str, known: str) -> bool:
    if known.startswith("*."):
        return name.endswith(known[1:])
    return known in ("*", name)
