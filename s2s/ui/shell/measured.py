"""Measures what visitors do with the server: sessions, uploads, script runs, errors. Runs of one visitor take turns."""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from s2s.config import asker
from s2s.hosted.monitoring import MONITOR
from s2s.processes import logs
from s2s.ui.kit.turns import own_turn
from s2s.ui.shell.pages import OPERATOR, PAGES, WORKSPACE
from s2s.ui.streamlit_parts import RerunData, ScriptRunner, calc_hash

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

STREAM = "/_stcore/stream"  # the connection of a session
UPLOADS = "/_stcore/upload_file/"


class Measured:
    """ASGI middleware: counts open sessions and uploaded files."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "websocket" and path.endswith(STREAM):
            with MONITOR.session():
                await self.app(scope, receive, send)
            return
        if scope["type"] == "http" and scope["method"] == "PUT" and UPLOADS in path:
            MONITOR.note_upload()
        await self.app(scope, receive, send)


def measure_script_runs() -> None:
    """Time every script run, and let it wait for its visitor's turn."""
    run = ScriptRunner._run_script
    pages = {
        calc_hash(row.url_path): row.url_path or "home" for row in (*PAGES, WORKSPACE, OPERATOR)
    }

    @functools.wraps(run)
    def in_turn(runner: ScriptRunner, request: RerunData) -> None:
        with own_turn():
            timed(runner, request)

    def timed(runner: ScriptRunner, request: RerunData) -> None:
        began = time.perf_counter()
        try:
            run(runner, request)
        finally:
            page = pages.get(request.page_script_hash, "home")
            is_fragment = bool(request.fragment_id or request.fragment_id_queue)
            MONITOR.note_run(page, time.perf_counter() - began, is_fragment=is_fragment)

    ScriptRunner._run_script = in_turn  # type: ignore[method-assign,assignment]


def note_script_error(error: Exception) -> bool:
    """Count and log an unexpected exception without its message."""
    MONITOR.note_error(error)
    workspace = hashlib.sha256(asker.current().encode()).hexdigest()[:12]
    logs.write_error("script_error", error, workspace=workspace)
    return False
