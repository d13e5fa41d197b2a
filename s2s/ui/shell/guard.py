"""ASGI middleware of a hosted server: what browsers may do with its answers, and what they may send."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Awaitable, Callable, MutableMapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from s2s import settings
from s2s.config import UserError, asker
from s2s.hosted import Key, cookies, header, key_of
from s2s.ui.shell import addresses, media
from s2s.ui.shell.sessions import Sessions, is_request
from s2s.ui.streamlit_parts import STATIC

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MEGABYTE = 1 << 20
MAX_MESSAGE = (
    8 * MEGABYTE
)  # from a browser: what a visitor typed or pasted, in all fields of a page
MISDIRECTED = 421
UNKNOWN_HOST = (
    "This server does not answer at this host name: open it at its own one, or, if you run it, add this one to"
    " S2S_HOSTS.\n"
)
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
POLICY = b"content-security-policy"
MEDIA = re.compile(r".*(?<!/static)/media/([^/]+)")
UPLOAD = re.compile(r".*/_stcore/upload_file/([^/]+)/[^/]+")


class Guard:
    """Adds security headers; refuses unknown host names, other sites' requests, other visitors' sessions and downloads,
    and what is too large.
    """

    def __init__(self, app: App) -> None:
        self.app = app
        self.sessions = Sessions()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not asker.is_hosted() or scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        elif (status := refusal(scope)) is not None:
            said = (UNKNOWN_HOST if status == MISDIRECTED else "").encode()
            headers = [(b"content-type", b"text/plain; charset=utf-8")]
            start = {"type": "http.response.start", "status": status, "headers": headers}
            await _with_headers(send)(start)
            await send({"type": "http.response.body", "body": said})
        else:
            await self.app(scope, receive, _with_headers(send))

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_foreign(scope) or not addresses.is_known_host(scope):
            await receive()  # the browser's wish to connect
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
            return

        key = _key(scope)
        is_noted = False

        async def limited() -> Message:
            while True:
                message = await receive()
                if len(message.get("bytes") or message.get("text") or "") > MAX_MESSAGE:
                    await send({"type": "websocket.close", "code": 1009, "reason": ""})
                    return {"type": "websocket.disconnect", "code": 1009}
                if is_request(message):
                    return message

        async def noted(message: Message) -> None:
            nonlocal is_noted
            is_noted = is_noted or self.sessions.note(message, key)
            await send(message)

        await self.app(self.sessions.with_own_session(scope, key), limited, noted)


def refusal(scope: Scope) -> int | None:
    """The status of a request that is refused; None for any other."""
    if not (addresses.is_known_host(scope) or addresses.is_for_machines(scope["path"])):
        return MISDIRECTED
    if scope["method"] not in SAFE_METHODS and is_foreign(scope):
        return 403
    if found := MEDIA.fullmatch(scope["path"]):
        return None if media.may_read(found[1], cookies(scope)) else 404
    if scope["method"] not in SAFE_METHODS and (found := UPLOAD.fullmatch(scope["path"])):
        key = _key(scope)
        if key is None or not media.is_of(found[1], key):
            return 403
        return _refused_upload(scope) if scope["method"] == "PUT" else None
    return None


def _key(scope: Scope) -> Key | None:
    try:
        return key_of(cookies(scope))
    except UserError:
        return None


def _refused_upload(scope: Scope) -> int | None:
    """The status of an upload that is refused, else None: one file has at most `server.maxUploadSize`, and a browser's
    pages hold at most two such files.
    """
    length = header(scope, "content-length")
    if not re.fullmatch(r"\d{1,15}", length):
        return 411
    most = 2 * int(st.get_option("server.maxUploadSize")) * MEGABYTE
    held = media.uploaded_bytes(cookies(scope))
    return 413 if held + int(length) > most else None


def is_foreign(scope: Scope) -> bool:
    """Whether a page of another site sent the request; programs that are no browsers send no Origin."""
    origin = header(scope, "origin")
    if not origin or origin in st.get_option("server.corsAllowedOrigins"):
        return False
    return urlsplit(origin).netloc != header(scope, "host")


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            known = {name.lower() for name, _ in given} - {POLICY}  # several policies hold together
            new = [(name, value) for name, value in _headers() if name not in known]
            message = {**message, "headers": [*given, *new]}
        await send(message)

    return send_with_headers


def _headers() -> tuple[tuple[bytes, bytes], ...]:
    try:
        return _written(settings.frame_ancestors())
    except UserError:  # the page says so
        return _written("'none'")


@cache
def _written(ancestors: str) -> tuple[tuple[bytes, bytes], ...]:
    headers = {
        POLICY.decode(): f"{_policy()}; frame-ancestors {ancestors}",
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",  # no other site is told an address
        "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }
    return tuple((name.encode(), value.encode()) for name, value in headers.items())


def _policy() -> str:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    hashes = " ".join(map(_hash, re.findall(r"<script>(.*?)</script>", page, re.DOTALL)))
    rules = (
        "default-src 'none'",
        f"script-src 'self' blob: {hashes}",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
    )
    return "; ".join(rules)


def _hash(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{digest}'"
