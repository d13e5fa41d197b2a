"""Requests to the Hub about one dataset or model: they share a deadline, and each failure is a sentence."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from s2s.config import UserError
from s2s.hub import access, failures

T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class Lookup:
    """Requests about `name` with a visitor's token, until `deadline` on the monotonic clock."""

    kind: ClassVar[str] = "dataset"
    name: str
    token: str
    deadline: float

    def request(self, work: Callable[[], T]) -> T:
        """Runs a request; once more if the Hub has closed a kept-alive connection.

        Raises UserError with one sentence for each possible failure.
        """
        closed = access.library().utils.httpx.RemoteProtocolError
        try:
            try:
                return work()
            except closed:
                return work()
        except UserError:
            raise
        except failures.request_errors() as error:
            raise self.explain(error) from error

    def explain(self, error: Exception) -> UserError:
        """The error to show for a failed request."""
        with_token = bool(self.token)
        return failures.explain(error, self.name, with_token=with_token, kind=self.kind)

    def left(self) -> float:
        """Seconds until the deadline, at least a tenth."""
        return max(self.deadline - time.monotonic(), 0.1)


def card(info: Any) -> Mapping[str, Any]:
    """The metadata in the README of a dataset or model, which the Hub has already parsed."""
    return (
        vars(info.card_data)
        if info.card_data is not None and not isinstance(info.card_data, dict)
        else {}
    )


def words(value: Any) -> tuple[str, ...]:
    """A card's value, one word or a list, as a tuple of words."""
    each = value if isinstance(value, list) else [value]
    return tuple(str(word) for word in each if word)


def within(seconds: float, work: Callable[[], T]) -> T:
    """What `work` returns or raises, if it ends in time; otherwise it is abandoned in its thread.

    No timeout of an HTTP client covers a whole exchange: a slow name lookup, or a reply that arrives byte by byte.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # passed on to the caller
            future.set_exception(error)

    threading.Thread(target=run, daemon=True, name=f"hub {os.getpid()}").start()
    return future.result(timeout=seconds)
