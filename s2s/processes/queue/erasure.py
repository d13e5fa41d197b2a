"""What was deleted leaves the files of an SQLite database too, where it could be read otherwise.

A deleted row is overwritten with zeros (`secure_delete`), but SQLite also leaves copies of rows in pages when it moves
them, and the write-ahead log holds older pages. So the database is rewritten (VACUUM), and the log is truncated as
soon as no reader needs it. PostgreSQL does both by itself, later (docs/hosting.md).
"""

from __future__ import annotations

import contextlib
import functools
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

from s2s import settings
from s2s.files.database import DELETIONS, HAS_DELETED, REWRITTEN, engine

NEVER_REWRITTEN = 0
REWRITING = 3  # SQLite's user_version meanwhile
PAUSE = 60.0  # seconds between two rewritings, at least
SHARE = 0.01  # of the time, at most: meanwhile nobody can write
PATIENCE = 0.5  # seconds for readers and writers to end; then it is tried again


class Eraser:
    """Erases what was deleted from the files of one database. Safe to use from several threads."""

    def __init__(self, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._url = url
        self._clock = clock
        self._turn = threading.Lock()
        self._rewritten = 0  # up to which deletion of this process
        self._erased = 0  # and of these, those that the log does not hold either
        self._next_rewriting = 0.0
        self._next_truncation = 0.0

    def is_erased(self, number: int) -> bool:
        """Whether the files hold nothing of the deletion with this number, and of those before."""
        return not self._path() or self._erased >= number

    def erase(self) -> None:
        """Try once to erase what was deleted; a later try continues. Raises UnreachableError."""
        path = self._path()
        if not path or not self._turn.acquire(blocking=False):
            return
        try:
            self._try(path)
        except sqlite3.Error:  # another process writes, or the disk is full
            pass
        finally:
            self._turn.release()

    def _try(self, path: Path) -> None:
        number = DELETIONS[self._url]
        now = self._clock()
        if now >= self._next_rewriting:
            if _rewrite(path):
                self._next_rewriting = now + max(PAUSE, (self._clock() - now) / SHARE)
            self._rewritten = number
        is_due = self._erased < self._rewritten or now >= self._next_truncation
        if is_due and _truncate_log(path):
            self._erased = self._rewritten
            self._next_truncation = now + PAUSE

    def _path(self) -> Path | None:
        opened = engine(self._url)
        is_file = opened.dialect.name == "sqlite" and opened.url.database not in (
            None,
            "",
            ":memory:",
        )
        return Path(str(opened.url.database)) if is_file else None


def _rewrite(path: Path) -> bool:
    """Rewrites the database if any process has deleted rows since it was rewritten; returns whether that was so."""
    with contextlib.closing(_connected(path)) as connection:
        if not _changed(connection, (NEVER_REWRITTEN, HAS_DELETED, REWRITING), REWRITING):
            return False
        connection.execute("VACUUM")
        _changed(connection, (REWRITING,), REWRITTEN)  # unless rows were deleted meanwhile
    return True


def _changed(connection: sqlite3.Connection, before: tuple[int, ...], after: int) -> bool:
    connection.execute("BEGIN IMMEDIATE")
    is_so = connection.execute("PRAGMA user_version").fetchone()[0] in before
    if is_so:
        connection.execute(f"PRAGMA user_version = {after}")
    connection.execute("COMMIT")
    return is_so


def _truncate_log(path: Path) -> bool:
    with contextlib.closing(_connected(path)) as connection:
        (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not is_busy


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    connection.execute("PRAGMA secure_delete = ON")
    return connection


@functools.cache
def _eraser(url: str) -> Eraser:
    return Eraser(url)


def last_deletion() -> int:
    """The number of the newest deletion of this process, for `is_erased`."""
    return DELETIONS[settings.database_url()]


def is_erased(number: int) -> bool:
    """Whether the files of the database hold nothing of the deletion with this number, and of those before."""
    return _eraser(settings.database_url()).is_erased(number)


def erase() -> None:
    """Tries once to erase what was deleted; call it again and again. Raises UnreachableError."""
    _eraser(settings.database_url()).erase()
