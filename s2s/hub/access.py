"""How the hub is reached: its address, the visitor's token, the library that talks. The only place that sets its environment."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from s2s.config import UserError


@dataclass(frozen=True, repr=False)
class Visit:
    """Who asks, and what was found out for them so far."""

    token: str = ""
    found: dict[tuple[str, str], Any] = field(default_factory=dict)


_visit: ContextVar[Visit | None] = ContextVar("visit to the hub", default=None)


@contextmanager
def using(token: str) -> Iterator[None]:
    """Within, data sets of the hub are read with this access token (empty is none), and each is looked up once only.

    Raises UserError for what can be no token.
    """
    reset = _visit.set(Visit(sane(token)))
    try:
        yield
    finally:
        _visit.reset(reset)


def visit() -> Visit:
    """What `using` set, or a visit without a token. Never with one of the host: a visitor may read what the visitor's token may."""
    return _visit.get() or Visit()


def token() -> str:
    """The access token that `using` set, or none."""
    return visit().token


def sane(token: str) -> str:
    """The token, if it can stand in a header; the sentence of the UserError does not repeat it."""
    token = token.strip()
    if not re.fullmatch(r"[!-~]{0,500}", token):
        raise UserError(
            "That is no access token of the hub: it has blanks or unusual characters; copy it again, or leave it empty."
        )
    return token


def endpoint() -> str:
    """The hub's address: `HF_ENDPOINT`, or the public one."""
    return (os.environ.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")


def library() -> ModuleType:
    """`huggingface_hub`, kept from using a token that lies on this host and from counting who uses it.

    Raises UserError where the host has switched the hub off.
    """
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        raise UserError(
            "The hub is switched off on this server (`HF_HUB_OFFLINE`); upload a file instead."
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

    return huggingface_hub


def headers(token: str) -> dict[str, str]:
    """Those of a request for a part of a file: as it is, not compressed on the way."""
    built: dict[str, str] = library().utils.build_hf_headers(token=token or False)
    return {**built, "accept-encoding": "identity"}
