"""What other programs ask of the server: whether it is ready, and its metrics."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from s2s import settings
from s2s.config import UserError, asker
from s2s.hosted import monitoring
from s2s.ui.shell.operator import WAIT, note_refused_key

LOCAL_HOSTS = ("127.0.0.1", "::1", "::ffff:127.0.0.1")
# Not short links, of which chats show a preview; they say themselves "noindex".
NOT_FOR_ROBOTS = ("_stcore/", "media/", "export/", "recover", "workspace", "operator", "metrics")
FORWARDING = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


async def ready(request: Request) -> JSONResponse:
    """Answers 200 once `warm_up` is done: for a host's health check. 503 says what the operator has to do."""
    if why := await asyncio.to_thread(monitoring.why_not_ready):
        return JSONResponse({"ready": False, "reason": why}, status_code=503)
    trouble = await asyncio.to_thread(monitoring.engine_trouble)
    return JSONResponse({"ready": True, **({"warning": trouble} if trouble else {})})


async def metrics(request: Request) -> Response:
    """Answers Prometheus with the server's metrics: with the operator's key, or without one on one's own computer.

    On a public server the computer that asks is no proof: a proxy on the same machine asks for everybody.
    """
    given = request.headers.get("authorization", "").encode("latin-1").decode(errors="replace")
    scheme, _, key = given.partition(" ")
    try:
        has_key = scheme.lower() == "bearer" and settings.is_operator_key(key)
    except UserError as error:
        return PlainTextResponse(f"{error}\n", status_code=503)
    if not has_key and not _is_own_computer(request):
        if settings.operator_key() is None:
            return PlainTextResponse("Not found\n", status_code=404)
        if given:
            note_refused_key("metrics")
        await asyncio.sleep(WAIT)
        return PlainTextResponse("Unauthorized\n", 401, {"WWW-Authenticate": "Bearer"})
    text = await asyncio.to_thread(monitoring.metrics)
    return PlainTextResponse(
        text, media_type="text/plain; version=0.0.4", headers={"cache-control": "no-store"}
    )


async def robots(request: Request) -> PlainTextResponse:
    """Answers with robots.txt, which excludes what is a visitor's own and what no person reads."""
    home = request.url.path.removesuffix("robots.txt")
    lines = ["User-agent: *", *(f"Disallow: {home}{path}" for path in NOT_FOR_ROBOTS)]
    return PlainTextResponse("".join(f"{line}\n" for line in lines))


def _is_own_computer(request: Request) -> bool:
    """Whether one's own browser asks, and no proxy for somebody else."""
    is_near = request.client is not None and request.client.host in LOCAL_HOSTS
    is_forwarded = any(name in request.headers for name in FORWARDING)
    return not asker.is_hosted() and is_near and not is_forwarded
