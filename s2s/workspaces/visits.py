"""ASGI middleware: every visitor of a hosted server who loads a page has a key to a workspace of their own.

On one's own computer, where all browsers share one workspace, each has an id.
"""

from __future__ import annotations

import html
from collections.abc import Awaitable, Callable, Container, MutableMapping
from typing import Any

import anyio

from s2s import settings
from s2s.config import UserError
from s2s.workspaces import keys, rows

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

# A cookie that lasts until the next page: what was sent as a key was none.
REPLACED = "s2s_replaced"
REPLACED_SECONDS = 60
PAGE = """<!doctype html><html lang="en" style="color-scheme: light dark"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>s2s</title>
<body style="font: 1.1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 15vh auto; padding: 0 1rem">
{body}</body></html>"""


class Visits:
    """Gives a new key, or id, with every HTML document to whom has none; a hosted server without its secret serves
    nothing.
    """

    def __init__(self, app: App, without_secret: Container[str] = ()) -> None:
        """`without_secret` are the paths that say themselves what is missing."""
        self.app = app
        self.without_secret = without_secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
        elif not settings.is_hosted():
            await self.app(scope, receive, _with_browser(scope, send))
        elif (why := settings.why_not_ready()) and scope["path"] not in self.without_secret:
            await _refuse(scope, receive, send, why)
        elif scope["type"] == "http" and _loads_a_page(scope):
            await self.app(scope, receive, await _with_key(scope, send))
        else:
            await self.app(scope, receive, send)


def page(body: str) -> bytes:
    """A page of a few sentences; `body` is HTML."""
    return PAGE.format(body=body).encode()


def header(scope: Scope, name: str) -> str:
    """A header of the request, sent once or several times; "" where it is missing."""
    separator = "; " if name == "cookie" else ", "
    wanted = name.encode()
    found = (value.decode("latin-1") for key, value in scope["headers"] if key == wanted)
    return separator.join(found)


def cookies(scope: Scope) -> dict[str, str]:
    """The cookies of the request, read as the pages read them: the last one of a name counts."""
    chunks = header(scope, "cookie").split(";")
    pairs = (chunk.partition("=") for chunk in chunks if "=" in chunk)
    return {name.strip(): value.strip() for name, _, value in pairs}


def is_secure(scope: Scope) -> bool:
    """Whether the browser came by https, also through a proxy."""
    forwarded = header(scope, "x-forwarded-proto").split(",")[0].strip()
    return "https" in (scope.get("scheme"), forwarded)


def _loads_a_page(scope: Scope) -> bool:
    """Whether a browser opens this address, and not a picture or a script of another site names it."""
    if scope["method"] != "GET" or "text/html" not in header(scope, "accept"):
        return False
    to = header(scope, "sec-fetch-dest")
    is_framed = to == "iframe" and header(scope, "sec-fetch-site") in ("same-origin", "same-site")
    return to in ("", "document") or is_framed


async def _with_key(scope: Scope, send: Send) -> Send:
    """Sends the answer; if it is a page, with the cookies that the browser lacks."""
    given = cookies(scope)
    secure = is_secure(scope)
    sent = given.get(keys.SECURE_COOKIE if secure else keys.COOKIE, "")
    fresh = []
    key = keys.read_key(sent)
    if key is None or not await _opens_a_workspace(key):
        fresh.append(keys.set_cookie(keys.new_key(), is_secure=secure))
    if sent and fresh:
        fresh.append(keys.cookie_header(REPLACED, "1", REPLACED_SECONDS, is_secure=secure))
    elif REPLACED in given:
        fresh.append(keys.cookie_header(REPLACED, "", 0, is_secure=secure))

    return _with_cookies(send, fresh)


def _with_browser(scope: Scope, send: Send) -> Send:
    """Sends the answer; if it is a page, with the id of the browser, where it has none."""
    if scope["type"] != "http" or not _loads_a_page(scope) or keys.browser_of(cookies(scope)):
        return send
    return _with_cookies(send, [keys.set_browser(is_secure=is_secure(scope))])


def _with_cookies(send: Send, fresh: list[str]) -> Send:
    """Sends the answer; if it is a page, with these cookies."""

    async def send_with_cookies(message: Message) -> None:
        if fresh and message["type"] == "http.response.start" and _is_page(message):
            kept = [row for row in message.get("headers", ()) if row[0].lower() != b"cache-control"]
            new: Headers = [(b"set-cookie", cookie.encode()) for cookie in fresh]
            message = {**message, "headers": [*kept, *new, (b"cache-control", b"no-store")]}
        await send(message)

    return send_with_cookies


async def _opens_a_workspace(key: keys.Key) -> bool:
    """Whether a key still opens one; only a linked key costs a query, once."""
    if key.kind == keys.DIRECT:
        return True
    try:
        return await anyio.to_thread.run_sync(rows.workspace_of, key) != ""
    except UserError:  # the database is away: the key may be good
        return True


def _is_page(message: Message) -> bool:
    """Whether the answer is HTML, or says that the HTML in the browser's cache is the newest."""
    types = [value for key, value in message.get("headers", ()) if key.lower() == b"content-type"]
    return message["status"] == 304 or (
        message["status"] == 200 and any(value.startswith(b"text/html") for value in types)
    )


async def _refuse(scope: Scope, receive: Receive, send: Send, why: str) -> None:
    if scope["type"] == "websocket":
        await receive()  # the browser's wish to connect
        await send({"type": "websocket.close", "code": 1013, "reason": ""})
        return
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": page(f"<p>{html.escape(why)}</p>")})
