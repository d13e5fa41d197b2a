"""A search that was asked for, who waits for it, and how far it is."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from s2s.runs.decoder.request import DecodeRequest


class Timed(NamedTuple):
    """A result, and the seconds that it took."""

    value: Any
    seconds: float


class Waiter(NamedTuple):
    """A visitor's session; `is_present` says whether it is still there, from any thread."""

    name: str
    is_present: Callable[[], bool]


@dataclass(eq=False)
class DecodeTask:
    """Several visitors may wait for one; it takes the turn of the first one's owner."""

    request: DecodeRequest
    owner: str  # a workspace
    waiters: dict[str, Waiter] = field(default_factory=dict)
    owners: set[str] = field(default_factory=set)  # of all who asked
    is_running: bool = False
    error: str = ""  # a sentence, where it is over without a result
    done: int = 0  # steps
    of: int = 0  # at most
    _started: float = 0.0
    _over: threading.Event = field(default_factory=threading.Event)

    @property
    def visitor(self) -> str:
        """The owner and the session that asked first."""
        return f"{self.owner} {next(iter(self.waiters), '')}"

    @property
    def is_over(self) -> bool:
        """Whether there is a result, an error, or nobody who waits."""
        return self._over.is_set()

    @property
    def elapsed(self) -> float:
        """Seconds since it began to run; 0 before."""
        return time.monotonic() - self._started if self.is_running else 0.0

    def is_wanted(self) -> bool:
        """Whether anybody who asked is still there."""
        return any(waiter.is_present() for waiter in [*self.waiters.values()])

    def wait(self, seconds: float) -> bool:
        """Whether it is over within these seconds."""
        return self._over.wait(max(0.0, seconds))

    def begin(self) -> None:
        """It runs now."""
        self.is_running = True
        self._started = time.monotonic()

    def end(self, error: str) -> None:
        """The first end counts."""
        if not self.is_over:
            self.error = error
            self._over.set()
