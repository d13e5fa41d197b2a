"""Access to the Hub: its address, the visitor's token, the client library.

Only this file sets the library's environment.
"""

from __future__ import annotations

import functools
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from ipaddress import ip_address
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from s2s.config import UserError, asker


@dataclass(frozen=True, repr=False)
class Visit:
    """A visitor's token, and the datasets already looked up for them."""

    token: str = ""
    datasets: dict[tuple[str, str], Any] = field(default_factory=dict)


_visit: ContextVar[Visit | None] = ContextVar("visit to the hub", default=None)


@contextmanager
def using(token: str) -> Iterator[None]:
    """In this context, datasets are read with this access token (empty for none), and each is looked up only once.

    Raises UserError for a malformed token.
    """
    reset = _visit.set(Visit(sane(token)))
    try:
        yield
    finally:
        _visit.reset(reset)


def visit() -> Visit:
    """The visit that `using` set, or one without a token.

    The host's own token is never used: visitors read what their token allows.
    """
    return _visit.get() or Visit()


def token() -> str:
    """The access token that `using` set, or ""."""
    return visit().token


def sane(token: str) -> str:
    """The token, if it is valid in a header; otherwise a UserError that does not repeat it."""
    token = token.strip()
    if not re.fullmatch(r"[!-~]{0,500}", token):
        raise UserError(
            "This is not an access token of the Hub: it has spaces or unusual characters; copy it again,"
            " or leave it empty."
        )
    return token


def endpoint() -> str:
    """The Hub's address: `HF_ENDPOINT`, or the public one."""
    return (os.environ.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")


def library() -> ModuleType:
    """`huggingface_hub`, configured not to use a token stored on this host and not to send telemetry.

    Raises UserError if the Hub is disabled on this host.
    """
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        raise UserError(
            "The Hub is disabled on this server (`HF_HUB_OFFLINE`); use your own files instead."
        )
    for name in (
        "HF_HUB_DISABLE_IMPLICIT_TOKEN",
        "HF_HUB_DISABLE_TELEMETRY",
        "HF_HUB_DISABLE_PROGRESS_BARS",
        "HF_HUB_DISABLE_XET",
    ):
        os.environ[name] = "1"  # read when it is imported
    import huggingface_hub
    import huggingface_hub.utils  # which it loads on demand

    _guard_redirects(huggingface_hub)
    return huggingface_hub


@functools.cache
def _guard_redirects(library: ModuleType) -> None:
    def client() -> Any:
        made = library.utils.httpx.Client(follow_redirects=True, timeout=None)
        made.event_hooks = {"request": [lambda request: check_address(str(request.url))]}
        return made

    library.set_client_factory(client)


def check_address(url: str) -> None:
    """Raises UserError where a hosted server would leave the Hub for an address that only its own network reaches."""
    wanted = urlsplit(url)
    ours = urlsplit(endpoint())
    if not asker.is_hosted() or (wanted.scheme, wanted.netloc) == (ours.scheme, ours.netloc):
        return
    try:
        found = socket.getaddrinfo(wanted.hostname, wanted.port or 443, type=socket.SOCK_STREAM)
    except OSError:  # the request fails by itself, or a proxy knows the name
        found = []
    addresses = {str(row[4][0]).partition("%")[0] for row in found}
    if wanted.scheme != "https" or not all(ip_address(one).is_global for one in addresses):
        raise UserError(
            "The Hub redirects to an address that this server does not visit; choose another dataset or model."
        )


def headers(token: str) -> dict[str, str]:
    """The headers of a request for a range of a file, without compression in transit."""
    built: dict[str, str] = library().utils.build_hf_headers(token=token or False)
    return {**built, "accept-encoding": "identity"}
