"""The slots of the readers of one machine: a few datasets are read at the same time, and one of each visitor."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from s2s import files
from s2s.config import UserError, asker

MAX_READERS = 2  # processes that read at the same time on one machine; the others wait
MAX_WAIT = 300.0  # seconds: as long as one reading may take
RETRY_SECONDS = 0.25
ALL_TAKEN = "Waiting for another dataset to be read."
SECOND_TAB = (
    "Waiting for your other dataset to be read: one at a time, so that others can read theirs."
)


@contextmanager
def reader_slot(
    folder: Path,
    owner: str,
    wait: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[None]:
    """Holds a slot, once one is free; until then `wait` is called with the reason, again and again.

    A workspace holds at most one, except `local`, which is everybody. Raises UserError where none is free in time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    until = clock() + MAX_WAIT
    while isinstance(taken := _take(folder, owner), str):
        if clock() >= until:
            raise UserError(
                f"Other datasets were being read for {MAX_WAIT:.0f} seconds; try again in a while."
            )
        wait(taken)
        time.sleep(RETRY_SECONDS)
    try:
        yield
    finally:
        taken.release()


def is_reading(folder: Path, owner: str) -> bool:
    """Whether a reader holds a slot for this workspace."""
    named = [path for path in folder.glob("reader-*.owner") if _owner(path) == owner]
    if not named:
        return False
    with FileLock(folder / "readers.lock"):
        return any(_owner(path) == owner and _is_held(path.with_suffix(".lock")) for path in named)


def _owner(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _is_held(path: Path) -> bool:
    try:
        with FileLock(path, timeout=0):
            return False
    except Timeout:
        return True


def _take(folder: Path, owner: str) -> FileLock | str:
    """The lock of a slot, or why there is none."""
    with FileLock(folder / "readers.lock"):  # one process looks at a time
        free: dict[Path, FileLock] = {}
        owners = []
        for number in range(MAX_READERS):
            lock = FileLock(folder / f"reader-{number}.lock", timeout=0)
            held_by = folder / f"reader-{number}.owner"
            try:
                lock.acquire()
            except Timeout:
                owners.append(held_by.read_text(encoding="utf-8"))
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
    return SECOND_TAB if has_one else ALL_TAKEN
