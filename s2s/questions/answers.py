"""The one cache: answers to questions, bounded in bytes, each asked for once at a time."""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from s2s.runs.decoder import Timed

MAX_BYTES = 400_000_000
MAX_ANSWERS = 2_000
SMALL = 200  # bytes of a value without an array


class Answers:
    """A cache of answers for several threads: a question that several ask at once is computed once.

    Values are shared, not copied: nobody may write to them.
    """

    def __init__(self, max_bytes: int = MAX_BYTES, max_answers: int = MAX_ANSWERS) -> None:
        self._max_bytes = max_bytes
        self._max_answers = max_answers
        self._guard = threading.Lock()
        self._found: OrderedDict[Hashable, tuple[Timed, int]] = OrderedDict()
        self._n_bytes = 0
        self._asking: dict[Hashable, tuple[threading.Lock, int]] = {}  # and how many ask or wait
        self._owners: dict[Hashable, set[str]] = {}

    def get(self, key: Hashable, owner: str) -> Timed | None:
        """A stored answer or None; its owner is noted as one who asked for it."""
        with self._guard:
            if key not in self._found:
                return None
            self._found.move_to_end(key)
            self._owners[key].add(owner)
            return self._found[key][0]

    @contextmanager
    def asking(
        self, key: Hashable, waiting: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> Iterator[None]:
        """A context in which one thread computes an answer; others wait within `waiting` and then find it."""
        with self._guard:
            lock, n = self._asking.get(key, (threading.Lock(), 0))
            self._asking[key] = lock, n + 1
        try:
            if not lock.acquire(blocking=False):
                with waiting():
                    lock.acquire()
            try:
                yield
            finally:
                lock.release()
        finally:
            with self._guard:
                _, n = self._asking.pop(key)
                if n > 1:  # whoever comes next waits for those that wait
                    self._asking[key] = lock, n - 1

    def put(self, key: Hashable, owner: str, found: Timed) -> Timed:
        """Store an answer and return it; the oldest ones are dropped where there is no more room."""
        size = n_bytes(found.value)
        with self._guard:
            self._drop(key)
            self._found[key] = (found, size)
            self._owners[key] = {owner}
            self._n_bytes += size
            while len(self._found) > 1 and (
                self._n_bytes > self._max_bytes or len(self._found) > self._max_answers
            ):
                self._drop(next(iter(self._found)))
        return found

    def forget(self, owner: str) -> None:
        """Drop the answers that nobody but the workspace `owner` asked for."""
        with self._guard:
            for key in [key for key, owners in self._owners.items() if owner in owners]:
                self._owners[key].discard(owner)
                if not self._owners[key]:
                    self._drop(key)

    def clear(self) -> None:
        """Drop every answer."""
        with self._guard:
            self._found.clear()
            self._owners.clear()
            self._n_bytes = 0

    def _drop(self, key: Hashable) -> None:
        if key in self._found:
            self._n_bytes -= self._found.pop(key)[1]
        self._owners.pop(key, None)


def n_bytes(value: Any) -> int:
    """About how much memory an answer takes."""
    if hasattr(value, "nbytes"):
        return SMALL + int(value.nbytes)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return SMALL + sum(n_bytes(getattr(value, row.name)) for row in dataclasses.fields(value))
    if isinstance(value, str):
        return SMALL + len(value)
    if isinstance(value, Mapping):
        return SMALL + sum(map(n_bytes, (*value, *value.values())))
    if isinstance(value, list | tuple | set | frozenset):
        return SMALL + sum(map(n_bytes, value))
    return SMALL
