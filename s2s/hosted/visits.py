"""ASGI middleware: every visitor of a hosted server who loads a page has a key to a workspace of their own.

On one's own computer, where all browsers share one workspace, each has an id.
"""

from __future__ import annotations

import html
from collections.abc import Awaitable, Callable, Container, MutableMapping
from typing import Any

import anyio

from s2s import settings
from s2s.config import UserError, asker
from s2s.hosted import keys, rows
from s2s.versions import NAME

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

# A cookie that lasts until the next page: what was sent as a key was none.
REPLACED = "s2s_replaced"
REPLACED_SECONDS = 60
FRAMES = ("iframe", "frame", "embed", "object")  # as `sec-fetch-dest` calls them
UPLOADS = "_streamlit_xsrf"  # Streamlit's cookie, which its pages read and send with each upload
PAGE = """<!doctype html><html lang="en" style="color-scheme: light dark"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>{name}</title>
<body style="font: 1.1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 15vh auto; padding: 0 1rem">
{body}</body></html>"""


class Visits:
    """Gives a new key, or id, with every HTML document to whom has none; a hosted server without its secret serves
    nothing.
    """

    def __init__(self, app: App, without_secret: Container[str] = ()) -> None:
        """Wrap `app`; `without_secret` are paths served without a secret too: they say themselves what is missing."""
        self.app = app
        self.without_secret = without_secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
        elif not asker.is_hosted():
            await self.app(scope, receive, _with_browser(scope, send))
        elif why := settings.why_not_ready():
            if scope["path"] in self.without_secret:
                await self.app(scope, receive, send)
            else:
                await _refuse(scope, receive, send, why)
        elif scope["type"] == "http":
            send = _with_partition(send) if keys.is_framed(cookies(scope)) else send
            send = await _with_key(scope, send) if _loads_a_page(scope) else send
            await self.app(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def page(body: str) -> bytes:
    """An HTML page of a few sentences; `body` is HTML."""
    return PAGE.format(name=NAME, body=body).encode()


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
    if scope["method"] != "GET" or "text/html" not in header(scope, "accept"):
        return False
    to = header(scope, "sec-fetch-dest")
    is_framed = to == "iframe" and _is_of_same_site(scope)
    return to in ("", "document") or is_framed or (to in FRAMES and settings.may_be_framed())


def _is_of_same_site(scope: Scope) -> bool:
    return header(scope, "sec-fetch-site") in ("same-origin", "same-site")


def _jars(scope: Scope) -> tuple[bool, ...]:
    """Which cookies to set, `is_framed` of each: one, or both where a frame was led here by a page of this site.

    Only the browser knows what is around that frame: it takes the cookie that it would send.
    """
    if header(scope, "sec-fetch-dest") not in FRAMES or not settings.may_be_framed():
        return (False,)
    return (False, True) if _is_of_same_site(scope) else (True,)


async def _with_key(scope: Scope, send: Send) -> Send:
    given = cookies(scope)
    jars = [{"is_secure": is_secure(scope), "is_framed": jar} for jar in _jars(scope)]
    sent = [value for jar in jars if (value := given.get(keys.cookie_name(**jar)))]
    fresh = []
    if not any([await _opens_a_workspace(keys.read_key(value)) for value in sent]):
        fresh += [keys.set_cookie(keys.new_key(), **jar) for jar in jars]
    if sent and fresh:
        fresh += [keys.cookie_header(REPLACED, "1", REPLACED_SECONDS, **jar) for jar in jars]
    elif REPLACED in given:
        fresh += [keys.cookie_header(REPLACED, "", 0, **jar) for jar in jars]

    return _with_cookies(send, fresh)


def _with_browser(scope: Scope, send: Send) -> Send:
    if scope["type"] != "http" or not _loads_a_page(scope) or keys.browser_of(cookies(scope)):
        return send
    return _with_cookies(send, [keys.set_browser(is_secure=is_secure(scope))])


def _with_cookies(send: Send, fresh: list[str]) -> Send:
    async def send_with_cookies(message: Message) -> None:
        if fresh and message["type"] == "http.response.start" and _is_page(message):
            kept = [row for row in message.get("headers", ()) if row[0].lower() != b"cache-control"]
            new: Headers = [(b"set-cookie", cookie.encode()) for cookie in fresh]
            message = {**message, "headers": [*kept, *new, (b"cache-control", b"no-store")]}
        await send(message)

    return send_with_cookies


def _with_partition(send: Send) -> Send:
    async def send_with_partition(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [(key, _partitioned(key, value)) for key, value in message["headers"]]
            message = {**message, "headers": headers}
        await send(message)

    return send_with_partition


def _partitioned(key: bytes, value: bytes) -> bytes:
    if key.lower() != b"set-cookie" or not value.startswith(f"{UPLOADS}=".encode()):
        return value
    return value.partition(b";")[0] + f"; Path=/; {keys.IN_FRAMES}".encode()


async def _opens_a_workspace(key: keys.Key | None) -> bool:
    if key is None:
        return False
    if key.kind == keys.DIRECT:
        return True
    try:
        return await anyio.to_thread.run_sync(rows.workspace_of, key) != ""
    except UserError:  # the database is away: the key may be good
        return True


def _is_page(message: Message) -> bool:
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
