"""Large files that are here only while they are read: brought when they are needed, dropped when there are too many."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from s2s.store import index as indexes
from s2s.store import rows
from s2s.store.index import Entry
from s2s.store.objects import MissingError
from s2s.store.pull import check_store, download, make_stand_in
from s2s.store.replica import Replica, is_lazy
from s2s.store.rows import Stored
from s2s.synced import AwayError, stand_in

RECENT = 60.0  # seconds after it was brought or read for which a file is not dropped


def bring(replica: Replica, path: Path) -> None:
    """Download a file that a stand-in is here for. Raises AwayError, or MissingError where it is lost."""
    part = replica.thing_of(path)
    if part is None:
        return
    thing, name = part
    with replica.bring_lock(path):
        if path.exists():
            return
        for _ in range(2):  # the first version may have been replaced meanwhile
            row = rows.files(thing).get(name)
            if row is None:
                raise AwayError(f"`{path.name}` was deleted on another machine; reload the page.")
            try:
                download(replica, row, path)
                break
            except MissingError:
                continue
        else:
            check_store(replica)
            raise MissingError(f"`{path.name}` is missing in the object store; use another one.")
        _note(replica, thing, row)
        stand_in(path).unlink(missing_ok=True)


def _note(replica: Replica, thing: str, row: Stored) -> None:
    with replica.locked(thing):
        index = indexes.read(replica.home, thing)
        stamp = indexes.stamp(replica.home / thing / row.name)
        index.files[row.name] = Entry(row.version, row.n_bytes, stamp)
        indexes.write(replica.home, thing, index)


class _Cached(NamedTuple):
    used: float  # seconds since the epoch
    n_bytes: int
    thing: str
    name: str


def shrink(replica: Replica, limit: int | None, *, now: float | None = None) -> int:
    """Drop large files, least recently used first, until the rest has at most `limit` bytes; returns how many bytes.

    Only what the store has is dropped, and nothing that a job works on here.
    """
    if limit is None:
        return 0
    now = time.time() if now is None else now
    cached = sorted(_cached(replica))
    left = sum(each.n_bytes for each in cached)
    dropped = 0
    for each in cached:
        if left - dropped <= limit:
            break
        if now - each.used > RECENT and not replica.is_at_work(each.thing):
            dropped += _drop(replica, each)
    return dropped


def _cached(replica: Replica) -> list[_Cached]:
    found = []
    for thing in replica.things_here():
        index = indexes.read(replica.home, thing)
        here, _ = indexes.stamps(replica.home / thing)
        for name, stamp in here.items():
            entry = index.files.get(name)
            if entry and entry.stamp == stamp and is_lazy(thing, name, stamp.n_bytes):
                used = (replica.home / thing / name).stat().st_atime
                found.append(_Cached(used, stamp.n_bytes, thing, name))
    return found


def _drop(replica: Replica, cached: _Cached) -> int:
    path = replica.home / cached.thing / cached.name
    with replica.locked(cached.thing):
        index = indexes.read(replica.home, cached.thing)
        row = rows.files(cached.thing).get(cached.name)
        entry = index.files.get(cached.name)
        stamp = indexes.stamp(path)
        is_stored = row and entry and stamp and entry == (row.version, row.n_bytes, stamp)
        if row is None or not is_stored:
            return 0
        make_stand_in(path, row)
        index.files[cached.name] = Entry(row.version, row.n_bytes, None)
        indexes.write(replica.home, cached.thing, index)
    return cached.n_bytes


def touch(path: Path) -> None:
    """A file is read now. Its time of change stays: by that it is known to be unchanged."""
    with suppress(OSError):
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))
