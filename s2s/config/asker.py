"""The workspace for which this code works. The library says what that may do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

LOCAL = (
    "local"  # the one workspace on a person's own computer; on a hosted server, its operator's own
)
EVERYBODY = "everybody"  # owns what ships with the program
OPERATOR = "operator"  # runs the server, and does not read what visitors make
NOBODY = ""  # a visitor without a workspace

_acting: ContextVar[str | None] = ContextVar("acting", default=None)
_visitor: list[Callable[[], str]] = []  # at most one: how the dashboard finds a visitor's workspace


def is_hosted() -> bool:
    """Whether the server is public (`S2S_HOSTED`)."""
    return bool(os.environ.get("S2S_HOSTED"))


def current() -> str:
    """The workspace for which this code works: of the job, the visitor or the person at this computer."""
    if (acting := _acting.get()) is not None:
        return acting
    if not is_hosted():
        return LOCAL
    return _visitor[0]() if _visitor else NOBODY


@contextmanager
def acting_as(workspace: str) -> Iterator[None]:
    """While this is open, this thread works for that workspace."""
    token = _acting.set(workspace)
    try:
        yield
    finally:
        _acting.reset(token)


def for_this_visitor(work: Callable[[], T]) -> Callable[[], T]:
    """The work as a function for another thread, done for this visitor: a download is made when it is clicked."""
    workspace = current()

    def later() -> T:
        with acting_as(workspace):
            return work()

    return later


def identify_visitors(find: Callable[[], str]) -> None:
    """Register the function that finds the workspace of the visitor whom this thread serves."""
    _visitor[:] = [find]
