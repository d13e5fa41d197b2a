"""The page of a recovery link, which asks first and changes nothing until its button is pressed; the export.

The token stands after `#` in the link, which browsers send to nobody; a script moves it into the form.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import parse_qs, urlsplit

import anyio
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from s2s.config import UserError, asker
from s2s.files import stored
from s2s.hosted import exports, keys, rows, visits

MOST_BYTES = 1024  # of a form
SCRIPT = """
const field = document.querySelector('input[name=token]');
field.value = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
document.querySelector('button').disabled = !field.value;
"""
WRONG = (
    "This recovery link opens nothing: it was used already, it is over {days} days old, or it was not copied"
    " whole. Make a new one under My workspace, on the computer that has the workspace."
)
NO_EXPORT = "This export is not here any more: exports are kept for an hour; make a new one under My workspace."
FILE_NAME = "my-workspace.zip"
ELSEWHERE = "Open the recovery link itself in this browser, then press its button."
QUESTION = """<h1>Open this workspace here?</h1>
<p>{what}</p>
<p>Open it only if you made this link yourself: whoever else has the workspace sees what you store in it.</p>
<form method="post"><input type="hidden" name="token">
<button disabled style="font: inherit; padding: .4rem 1rem">Open the workspace</button>
&ensp;<a href="./">Cancel</a></form>
<noscript><p>This page needs JavaScript.</p></noscript>
<script src="recover.js"></script>"""
NOTHING_HERE = "This browser then shows the runs, datasets and evaluations of that workspace."
SIGNED_IN = "_streamlit_user"  # Streamlit's cookie
FOR_AN_ACCOUNT = (
    "You are signed in, and still see the workspace of your account afterwards. Under My workspace you can then merge"
    " this one into it."
)
HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
}
ALONE = HEADERS | {"x-frame-options": "DENY", "content-security-policy": "frame-ancestors 'none'"}


async def recover(request: Request) -> Response:
    """Asks whether to open a recovery link (GET), then gives this browser a key to the workspace (POST)."""
    if not asker.is_hosted():
        return _said("On this computer there is one workspace, and no recovery link.", 404)
    try:
        if request.method != "POST":
            what = await anyio.to_thread.run_sync(_what_happens, _present(request))
            if SIGNED_IN in visits.cookies(request.scope):
                what = FOR_AN_ACCOUNT
            return HTMLResponse(visits.page(QUESTION.format(what=what)), headers=ALONE)
        if not _is_from_our_page(request):
            return _said(ELSEWHERE, 403)
        key = await anyio.to_thread.run_sync(rows.open_link, await _token(request))
    except UserError as error:  # the database is away
        return _said(str(error), 503)
    if key is None:
        return _said(WRONG.format(days=rows.LINK_DAYS), 400)
    answer = RedirectResponse("./", 303, ALONE)
    secure = visits.is_secure(request.scope)
    answer.headers.append("set-cookie", keys.set_cookie(key, is_secure=secure))
    return answer


async def recover_script(request: Request) -> Response:
    return Response(SCRIPT, media_type="text/javascript", headers=ALONE)


async def export(request: Request) -> Response:
    """The zip that this browser asked for under My workspace."""
    key = keys.key_of(visits.cookies(request.scope)) if asker.is_hosted() else None
    name = str(request.path_params["name"])
    path = await anyio.to_thread.run_sync(exports.find_export, name, key.signed) if key else None
    if path is None:
        return _said(NO_EXPORT, 404, "../", HEADERS)  # a frame may have asked for it
    return FileResponse(path, media_type="application/zip", filename=FILE_NAME, headers=HEADERS)


ROUTES = (
    Route("/recover", recover, methods=["GET", "POST"]),
    Route("/recover.js", recover_script),
    Route("/export/{name}", export),
)


def _said(
    sentence: str,
    status: int,
    home: str = "./",
    headers: Mapping[str, str] = MappingProxyType(ALONE),
) -> Response:
    body = visits.page(
        f'<p>{html.escape(sentence)}</p><p><a href="{home}">Open the dashboard</a></p>'
    )
    return HTMLResponse(body, status, headers)


def _present(request: Request) -> str:
    key = keys.key_of(visits.cookies(request.scope))
    return rows.workspace_of(key) if key else ""


def _what_happens(present: str) -> str:
    used = stored.usage(present) if present else stored.Usage()
    counts = {"run": used.runs, "saved dataset": used.datasets, "evaluation": used.evaluations}
    has = [f"{n} {name}{'s' * (n > 1)}" for name, n in counts.items() if n]
    if not has:
        return NOTHING_HERE
    *others, last = has
    listed = f"{', '.join(others)} and {last}" if others else last
    return (
        f"{NOTHING_HERE} Its present workspace has {listed}: they are not moved, and this browser no longer"
        " opens them. To come back to them, first make a recovery link for them under My workspace."
    )


def _is_from_our_page(request: Request) -> bool:
    """Whether our own page sent the form: the browser says so, and another site cannot change what it says."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin", "")
    is_ours = urlsplit(origin).netloc == request.headers.get("host")
    return site == "same-origin" and is_ours


async def _token(request: Request) -> str:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            return ""
    return parse_qs(body.decode("latin-1")).get("token", [""])[0]
