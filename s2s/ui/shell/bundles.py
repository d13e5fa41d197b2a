"""Streamlit's own scripts and styles, compressed: it sends them as they are, and they are most of a first visit."""

from __future__ import annotations

import functools
import gzip
import threading
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import anyio.to_thread
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from s2s.hosted import header
from s2s.ui.shell.addresses import base_path
from s2s.ui.streamlit_parts import STATIC

_LOCK = threading.Lock()
KINDS = MappingProxyType({".js": "text/javascript", ".css": "text/css"})
HEADERS = MappingProxyType(
    {
        "cache-control": "public, immutable, max-age=31536000",  # a file's name has the hash of its content
        "content-encoding": "gzip",
        "vary": "accept-encoding",
    }
)


class Bundles:
    """ASGI middleware that serves Streamlit's large files gzipped."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_asked = scope.get("method") == "GET" and "gzip" in header(scope, "accept-encoding")
        path = _files().get(scope["path"].removeprefix(base_path())) if is_asked else None
        if path is None:
            await self._app(scope, receive, send)
            return
        content = await anyio.to_thread.run_sync(_compressed, path)
        await Response(content, 200, HEADERS, KINDS[path.suffix])(scope, receive, send)


@functools.cache
def _files() -> Mapping[str, Path]:
    found = [path for path in STATIC.glob("static/*/*") if path.suffix in KINDS]
    return {f"/{path.relative_to(STATIC).as_posix()}": path for path in found}


def _compressed(path: Path) -> bytes:
    with _LOCK:
        return _kept(path)


@functools.cache
def _kept(path: Path) -> bytes:
    return gzip.compress(path.read_bytes())
