"""Makes this machine's copy of a thing equal to what the database says."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from s2s import storage
from s2s.files import TRASH
from s2s.store import index as indexes
from s2s.store import rows
from s2s.store.index import ABOUT, LOG, Entry, Index
from s2s.store.objects import MissingError
from s2s.store.replica import INLINE, Replica, is_lazy
from s2s.store.rows import ChangedMeanwhile, Stored
from s2s.synced import STAND_IN, AwayError, stand_in

log = logging.getLogger(__name__)
TRIES = 3  # another machine may change the thing while it is read


def pull(replica: Replica, thing: str) -> None:
    """Take over what others have changed; what was changed here, and is not in the store yet, stays where it may.

    Raises UserError while the database or the store is away.
    """
    with replica.locked(thing):
        pull_locked(replica, thing)


def settle_conflicts(replica: Replica, thing: str) -> None:
    """Nothing works on the thing here: of a file that others have changed, too, theirs counts.

    A job begins with this, and what is pushed without a job. Raises UserError as `pull`.
    """
    with replica.locked(thing):
        pull_locked(replica, thing, settles=True)


def pull_locked(replica: Replica, thing: str, *, settles: bool = False) -> Index:
    """The same by who has the lock already; returns the new index."""
    for number in range(TRIES):
        index = indexes.read(replica.home, thing)
        stored = rows.thing(thing)
        if stored is None or (stored.number == index.number and not settles):
            return index
        is_at_work = not settles and replica.is_at_work(thing)
        try:
            if stored.is_deleted:
                _take_away(replica.home / thing)
                index.is_deleted = True
            else:
                pull_ = Pull(replica, thing, index, is_at_work=is_at_work)
                pull_.run(leaves_lost=number == TRIES - 1)
                index.is_deleted = False
        except (ChangedMeanwhile, MissingError):
            continue
        index.number = stored.number
        indexes.write(replica.home, thing, index)
        return index
    raise AwayError("The database changes faster than it can be read; try again.")


def check_store(replica: Replica) -> None:
    """Raises AwayError where the whole store is missing: then no file is lost."""
    try:
        replica.objects.check()
    except MissingError as error:
        raise AwayError(str(error)) from error


def _take_away(path: Path) -> None:
    """Others have deleted it; where that can be undone, its files stay for a minute."""
    if not path.exists():
        return
    gone = path.with_name(f"{TRASH}{path.name}")
    shutil.rmtree(gone, ignore_errors=True)
    with suppress(FileNotFoundError):
        os.utime(path)  # when it was deleted
        os.replace(path, gone)
    if path.is_file() or gone.is_file():
        gone.unlink(missing_ok=True)
    elif path.parent.name != storage.RUN.folder:
        shutil.rmtree(gone, ignore_errors=True)


class Pull:
    """One comparison of one thing; changes its index."""

    def __init__(self, replica: Replica, thing: str, index: Index, *, is_at_work: bool) -> None:
        self.replica = replica
        self.thing = thing
        self.index = index
        self.folder = replica.home / thing
        self.here, self.elsewhere = indexes.stamps(self.folder)
        self.is_at_work = is_at_work

    def run(self, *, leaves_lost: bool) -> None:
        """Raises ChangedMeanwhile or MissingError where it must be read again; with `leaves_lost`, a file that the
        store has lost is left out.
        """
        found = rows.files(self.thing)
        for row in found.values():
            try:
                self._take(row)
            except MissingError as error:
                if not leaves_lost:
                    raise
                check_store(self.replica)
                log.warning("`%s/%s`: %s", self.thing, row.name, error)
        for name in self.index.files.keys() - found.keys():
            self._drop(name)

    def _take(self, row: Stored) -> None:
        name = row.name
        entry = self.index.files.get(name)
        is_known = entry and (entry.version, entry.n_bytes) == (row.version, row.n_bytes)
        is_here = name in self.here or name in self.elsewhere
        is_left = name in self.here and entry and entry.stamp is None and name not in ABOUT
        if is_known and (self.is_at_work or (is_here and not is_left)):
            return
        is_clean = name not in self.here or (entry and entry.stamp == self.here[name])
        if name not in self.here and entry and not is_here and self.is_at_work:
            is_clean = False  # the job has deleted it
        if is_clean:
            self._write(row, entry)
        elif name in self.here and indexes.digest(self.folder / name) == row.version:
            self._note(row)
        elif name in ABOUT and name in self.index.base:
            self._merge(row)
        elif self.is_at_work:
            self.index.files[name] = Entry(row.version, row.n_bytes, None)
        else:
            self._write(row, None)

    def _drop(self, name: str) -> None:
        """A file that others have deleted; one that a job here has changed is put again."""
        entry = self.index.files.pop(name)
        self.index.base.pop(name, None)
        if self.is_at_work and self.here.get(name) != entry.stamp:
            return
        path = self.folder / name
        path.unlink(missing_ok=True)
        stand_in(path).unlink(missing_ok=True)

    def _write(self, row: Stored, entry: Entry | None) -> None:
        path = self.folder / row.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if is_lazy(self.thing, row.name, row.n_bytes):
            make_stand_in(path, row)
            self.index.files[row.name] = Entry(row.version, row.n_bytes, None)
            return
        if row.name.endswith(LOG):
            self._write_log(path, row, entry)
        elif row.object:
            download(self.replica, row, path)
        else:
            content = rows.content(self.thing, row.name)
            if content is None or hashlib.sha256(content).hexdigest() != row.version:
                raise ChangedMeanwhile(self.thing)
            put_down(path, content, row.modified)
            if row.name in ABOUT:
                self.index.base[row.name] = content.decode(errors="replace")
        self._note(row)

    def _write_log(self, path: Path, row: Stored, entry: Entry | None) -> None:
        """Appends what is new, as the reader of a growing log expects."""
        can_append = (
            entry
            and entry.version == row.version
            and row.n_bytes >= entry.n_bytes
            and entry.stamp == self.here.get(row.name)
            and entry.stamp
            and entry.stamp.n_bytes == entry.n_bytes
        )
        start = entry.n_bytes if entry and can_append else 0
        new = rows.lines(self.thing, row.name, start)[: row.n_bytes - start]
        if start + len(new) != row.n_bytes:
            raise ChangedMeanwhile(self.thing)
        if can_append:
            with path.open("ab") as file:
                file.write(new)
            os.utime(path, ns=(time.time_ns(), row.modified))
        else:
            put_down(path, new, row.modified)

    def _merge(self, row: Stored) -> None:
        """Both machines have changed a description: of each entry the changed one counts, of two changed ones this
        machine's.
        """
        path = self.folder / row.name
        content = rows.content(self.thing, row.name)
        if content is None or len(content) > INLINE:
            raise ChangedMeanwhile(self.thing)
        base = _json(self.index.base.get(row.name, ""))
        own = _json(path.read_bytes())
        other = _json(content)
        mine = {key: value for key, value in own.items() if base.get(key) != value}
        gone = base.keys() - own.keys()
        merged = {key: value for key, value in {**other, **mine}.items() if key not in gone}
        text = json.dumps(merged, ensure_ascii=False, indent=1) + "\n"
        put_down(path, text.encode(), time.time_ns())
        self.index.files[row.name] = Entry(row.version, row.n_bytes, None)
        self.index.base[row.name] = content.decode(errors="replace")

    def _note(self, row: Stored) -> None:
        stamp = indexes.stamp(self.folder / row.name)
        self.index.files[row.name] = Entry(row.version, row.n_bytes, stamp)


def _json(text: str | bytes) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def put_down(path: Path, content: bytes, modified: int) -> None:
    """Write a file whole, with the time of the machine that made it; nobody is told."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    temporary.write_bytes(content)
    os.utime(temporary, ns=(time.time_ns(), modified))
    os.replace(temporary, path)


def download(replica: Replica, row: Stored, path: Path) -> None:
    """Bring an object. Raises MissingError where it is gone, AwayError where other bytes than were stored arrive."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        replica.objects.get(row.object, temporary)
        if indexes.digest(temporary) != row.version:
            raise AwayError("The object store returns other bytes than were stored; check it.")
        os.utime(temporary, ns=(time.time_ns(), row.modified))
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def make_stand_in(path: Path, row: Stored) -> None:
    """Replace a file by its stand-in, which is there before the file is gone."""
    standing = path.with_name(path.name + STAND_IN)
    temporary = path.with_name(f".{standing.name}.{secrets.token_hex(4)}")
    with temporary.open("wb") as file:
        file.truncate(row.n_bytes)
    os.utime(temporary, ns=(row.modified, row.modified))
    os.replace(temporary, standing)
    path.unlink(missing_ok=True)
