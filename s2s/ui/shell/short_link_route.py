"""What the server answers at `/s/LETTERS`: a page that tells chats what the link shows, and then opens the view."""

from __future__ import annotations

import html
import time
from dataclasses import replace

import anyio
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from s2s.config import UserError, asker
from s2s.hosted.monitoring import MONITOR
from s2s.links import share
from s2s.links import short as short_links
from s2s.links.short import DeadLinkError, ShortLink, UnknownLinkError
from s2s.ui.kit.turns import TURNS, address_of, visitor_address
from s2s.ui.shell import previews
from s2s.ui.shell.misses import Misses
from s2s.ui.shell.pages import PAGES, Page
from s2s.versions import NAME

KEY = (
    "s"  # of the letters in the address that is opened, where the title and the note are then read
)
PAGE = """<!doctype html><html lang="en" style="color-scheme: light dark"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
{head}</head>
<body style="font: 1.1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 15vh auto; padding: 0 1rem">
{body}</body></html>"""
HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
}
UNAVAILABLE = 503
MISSES = Misses()  # of this server


async def short_link(request: Request) -> Response:
    """Answers with the page that opens the view of a short link, or a sentence that says why not."""
    home = request.url.path.partition("/s/")[0] + "/"
    try:
        link = await anyio.to_thread.run_sync(short_links.find, request.path_params["letters"])
        page = page_of(link)
    except DeadLinkError as error:
        if isinstance(error, UnknownLinkError):
            forwarded = ", ".join(request.headers.getlist("x-forwarded-for"))
            await anyio.sleep(
                _delay(address_of(request.client.host if request.client else "", forwarded))
            )
        return _said(str(error), 404, home)
    except UserError as error:  # the database is away
        return _said(str(error), UNAVAILABLE, home)
    preview = await anyio.to_thread.run_sync(
        previews.preview_of, previews.view_of(page, link.content.view)
    )
    if link.content.title or link.content.note:
        title = link.content.title or preview.title
        preview = replace(
            preview, title=title, description=link.content.note or preview.description
        )
    target = html.escape(address(link, home))
    refresh = f'<meta http-equiv="refresh" content="0; url={target}">'
    head = f"{previews.tags(preview, request, home)}\n{refresh}"
    body = f'<p>{html.escape(preview.title)}</p><p><a href="{target}">Open the shared view</a></p>'
    return HTMLResponse(PAGE.format(head=head, body=body), headers=HEADERS)


def find(typed: str) -> ShortLink:
    """The short link that was typed, looked up for a page; whoever guesses waits."""
    try:
        return short_links.find(typed)
    except UnknownLinkError:
        with TURNS.paused():
            time.sleep(_delay(visitor_address()))
        raise


def _delay(address: str) -> float:
    if not asker.is_hosted():
        return 0.0
    MONITOR.note_missed_link()
    return MISSES.delay(address)


def page_of(link: ShortLink) -> Page:
    """The page that a link opens. Raises DeadLinkError for one that this version does not have."""
    for row in PAGES:
        if row.url_path == link.content.page:
            return row
    raise short_links.newer(link.letters)


def address(link: ShortLink, home: str) -> str:
    """The path of a short link's view on this server; `home` is the path of its first page. It names no server."""
    return f"{share.link(home + link.content.page, link.content.view)}&{KEY}={link.letters}"


def _said(sentence: str, status: int, home: str) -> Response:
    body = (
        f'<p>{html.escape(sentence)}</p><p><a href="{html.escape(home)}">Open the dashboard</a></p>'
    )
    return HTMLResponse(PAGE.format(head=f"<title>{NAME}</title>", body=body), status, HEADERS)
