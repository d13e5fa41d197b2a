"""Slots for processes of one kind: a few of them work at the same time on one machine, and one of each visitor."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from s2s import files
from s2s.config import LaterError, asker

RETRY_SECONDS = 0.25


@dataclass(frozen=True)
class Slots:
    """The slots of one kind of process, and what is said to those who wait."""

    kind: str
    n: int
    all_taken: str
    has_one: str
    in_vain: str
    max_wait: float  # seconds

    @contextmanager
    def held(
        self,
        folder: Path,
        owner: str,
        wait: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> Iterator[None]:
        """Holds a slot, once one is free; until then `wait` is called with the reason, again and again.

        A workspace holds at most one, except `local`, which is everybody. Raises LaterError where none is free in time.
        """
        folder.mkdir(parents=True, exist_ok=True)
        until = clock() + self.max_wait
        while isinstance(taken := self._take(folder, owner), str):
            if clock() >= until:
                raise LaterError(self.in_vain)
            wait(taken)
            time.sleep(RETRY_SECONDS)
        try:
            yield
        finally:
            taken.release()

    def holds(self, folder: Path, owner: str) -> bool:
        named = [path for path in folder.glob(f"{self.kind}-*.owner") if _owner(path) == owner]
        if not named:
            return False
        with FileLock(folder / f"{self.kind}s.lock"):
            return any(
                _owner(path) == owner and _is_held(path.with_suffix(".lock")) for path in named
            )

    def _take(self, folder: Path, owner: str) -> FileLock | str:
        with FileLock(folder / f"{self.kind}s.lock"):  # one process looks at a time
            free: dict[Path, FileLock] = {}
            owners = []
            for number in range(self.n):
                lock = FileLock(folder / f"{self.kind}-{number}.lock", timeout=0)
                held_by = folder / f"{self.kind}-{number}.owner"
                try:
                    lock.acquire()
                except Timeout:
                    owners.append(_owner(held_by))
                else:
                    free[held_by] = lock
            has_one = owner != asker.LOCAL and owner in owners
            taken = None if has_one or not free else free.popitem()
            if taken:
                files.write_text(taken[0], owner)
            for lock in free.values():
                lock.release()
        if taken:
            return taken[1]
        return self.has_one if has_one else self.all_taken


def _owner(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _is_held(path: Path) -> bool:
    try:
        with FileLock(path, timeout=0):
            return False
    except Timeout:
        return True
