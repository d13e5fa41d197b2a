"""Brings what was changed on this machine into the store: objects first, then all rows of the change at once."""

from __future__ import annotations

import contextlib
import hashlib
import secrets
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from s2s.store import index as indexes
from s2s.store import rows
from s2s.store.index import ABOUT, LOG, Entry, Index, Stamp
from s2s.store.pull import TRIES, pull_locked
from s2s.store.replica import INLINE, Replica
from s2s.store.rows import Change, ChangedMeanwhile, NotAllowed, Stored
from s2s.synced import AwayError

STATUS = "status.json"  # says that a checkpoint exists, so it is never stored before that
TOO_FAST = "The database changes faster than it can be written; try again."


class Uploaded(NamedTuple):
    """An object that no row names yet."""

    stamp: Stamp
    version: str
    object: str


def push(
    replica: Replica, thing: str, names: Collection[str] = (), *, is_light: bool = False
) -> bool:
    """Store what is new here of a thing: of the named files, or of all where none are named.

    `is_light` leaves out what takes an upload. A job's process may push only while it has the job; any other process
    pushes unnamed files only while no job works on the thing. Returns whether nothing is left to do. Raises UserError
    while the database or the store is away.
    """
    uploads = {} if is_light else _upload(replica, thing, names)
    with replica.locked(thing):
        for _ in range(TRIES):
            index = _made_again(thing, pull_locked(replica, thing))
            try:
                return _Push(replica, thing, index, names, uploads).run()
            except ChangedMeanwhile:
                continue
            except NotAllowed:
                return True
    raise AwayError(TOO_FAST)


def push_deletion(replica: Replica, thing: str) -> None:
    """Tell the others that a thing was deleted here. Raises UserError while the database is away."""
    with replica.locked(thing):
        if (replica.home / thing).exists():  # it was restored, or made again
            return
        for _ in range(TRIES):
            with contextlib.suppress(ChangedMeanwhile):
                return _delete(replica, thing)
    raise AwayError(TOO_FAST)


def _delete(replica: Replica, thing: str) -> None:
    stored = rows.thing(thing)
    index = indexes.read(replica.home, thing)
    index.is_deleted = True
    if stored and not stored.is_deleted:
        with rows.changing(thing, stored.number) as change:
            change.delete_thing()
        index.number = change.number
    indexes.write(replica.home, thing, index)


def _made_again(thing: str, index: Index) -> Index:
    """The index; of a deleted thing, which is made again or restored, without the files that left the store since."""
    if index.is_deleted:
        known = rows.files(thing)
        index.files = {
            name: entry
            for name, entry in index.files.items()
            if name in known and known[name].version == entry.version
        }
    return index


def _upload(replica: Replica, thing: str, names: Collection[str]) -> dict[str, Uploaded]:
    """Upload the large files that were changed; each has a key of its own, so that nobody reads half of one."""
    index = _made_again(thing, indexes.read(replica.home, thing))
    here, _ = indexes.stamps(replica.home / thing)
    done = {}
    for name, stamp in here.items():
        entry = index.files.get(name)
        if not _is_large(name, stamp) or _is_left(name, names) or (entry and entry.stamp == stamp):
            continue
        path = replica.home / thing / name
        try:
            version = indexes.digest(path)
            key = f"{thing}/{name}.{secrets.token_hex(8)}"
            if entry is None or entry.version != version:
                rows.expect(key)
                replica.objects.put(path, key)
        except FileNotFoundError:  # deleted meanwhile
            continue
        if indexes.stamp(path) == stamp:
            done[name] = Uploaded(stamp, version, key)
    return done


def _is_large(name: str, stamp: Stamp) -> bool:
    return stamp.n_bytes > INLINE and not name.endswith(LOG)


def _is_left(name: str, names: Collection[str]) -> bool:
    return bool(names) and name not in names


class _Push:
    """One change of one thing."""

    def __init__(
        self,
        replica: Replica,
        thing: str,
        index: Index,
        names: Collection[str],
        uploads: dict[str, Uploaded],
    ) -> None:
        self.replica = replica
        self.thing = thing
        self.index = index
        self.names = names
        self.uploads = uploads
        self.folder = replica.home / thing
        here, elsewhere = indexes.stamps(self.folder)
        self.changed = {
            name: stamp
            for name, stamp in here.items()
            if not _is_left(name, names) and self._is_new(name, stamp)
        }
        known = index.files.keys() - here.keys() - elsewhere
        self.gone = {name for name in known if not _is_left(name, names)} if here else set()
        self.is_waiting = any(self._waits(name) for name in self.changed)
        self.is_back = index.is_deleted and bool(here)

    def run(self) -> bool:
        """Returns whether nothing is left to do."""
        if (
            self.is_waiting
        ):  # never a status before its checkpoint, and no checkpoint less before the next
            self.changed = {
                name: stamp
                for name, stamp in self.changed.items()
                if not self._waits(name) and name != STATUS
            }
            self.gone = set()
        if not (self.changed or self.gone or self.is_back):
            return not self.is_waiting
        files = dict(self.index.files)
        base = dict(self.index.base)
        with rows.changing(self.thing, self.index.number) as change:
            self._require_allowed(change)
            for name in self.gone:
                change.drop(name)
                files.pop(name)
                base.pop(name, None)
            for name, stamp in self.changed.items():
                self._put(change, name, stamp, files, base)
        index = Index(change.number, False, files, base)
        indexes.write(self.replica.home, self.thing, index)
        return not self.is_waiting

    def _require_allowed(self, change: Change) -> None:
        job = self.replica.job
        if job:
            change.require_held(job.id, job.worker)
        elif not self.names:
            change.require_idle()

    def _is_new(self, name: str, stamp: Stamp) -> bool:
        entry = self.index.files.get(name)
        return entry is None or entry.stamp != stamp

    def _waits(self, name: str) -> bool:
        """Whether it must be uploaded first, as it is now."""
        stamp = self.changed[name]
        if not _is_large(name, stamp):
            return False
        uploaded = self.uploads.get(name)
        return uploaded is None or uploaded.stamp != stamp

    def _put(
        self, change: Change, name: str, stamp: Stamp, files: dict[str, Entry], base: dict[str, str]
    ) -> None:
        path = self.folder / name
        try:
            if name.endswith(LOG):
                files[name] = self._put_log(change, name, stamp, path)
            elif name in self.uploads and _is_large(name, stamp):
                files[name] = self._put_object(change, name, stamp)
            else:
                content = path.read_bytes()
                version = hashlib.sha256(content).hexdigest()
                change.put(Stored(name, version, len(content), stamp.modified), content)
                files[name] = Entry(version, len(content), stamp)
                if name in ABOUT:
                    base[name] = content.decode(errors="replace")
        except FileNotFoundError:  # deleted meanwhile: the next push says so
            return

    def _put_object(self, change: Change, name: str, stamp: Stamp) -> Entry:
        uploaded = self.uploads[name]
        entry = self.index.files.get(name)
        if entry is None or entry.version != uploaded.version:
            file = Stored(name, uploaded.version, stamp.n_bytes, stamp.modified, uploaded.object)
            change.put(file)
        return Entry(uploaded.version, stamp.n_bytes, stamp)

    def _put_log(self, change: Change, name: str, stamp: Stamp, path: Path) -> Entry:
        """Append the whole lines that are new; all of them where the file was rewritten."""
        entry = self.index.files.get(name)
        content = path.read_bytes().rpartition(b"\n")
        whole = content[0] + content[1]
        is_longer = entry and entry.stamp and entry.stamp.inode == stamp.inode
        if entry and is_longer and len(whole) >= entry.n_bytes:
            version = entry.version
            start = entry.n_bytes
        else:
            version = secrets.token_hex(16)
            start = 0
        file = Stored(name, version, len(whole), stamp.modified)
        change.put_lines(file, whole[start:], start)
        return Entry(version, len(whole), stamp)
