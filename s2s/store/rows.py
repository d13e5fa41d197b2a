"""What the database knows of stored things: their files, the lines of their logs, and a number for every change.

A thing is named as its folder under `S2S_HOME`: `runs/ID`. Numbers are given in the order of the commits, so that "what
is newer than N" misses nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import sqlalchemy as sa

from s2s.jobs import queue

TABLES = sa.MetaData()
THINGS = sa.Table(
    "stored_things",
    TABLES,
    sa.Column("thing", sa.String(120), primary_key=True),
    sa.Column("number", sa.BigInteger),
    sa.Column("deleted", sa.Double),
)
FILES = sa.Table(
    "stored_files",
    TABLES,
    sa.Column("thing", sa.String(120), primary_key=True),
    sa.Column("name", sa.String(250), primary_key=True),
    sa.Column("version", sa.String(80)),
    sa.Column("n_bytes", sa.BigInteger),
    sa.Column("modified", sa.BigInteger),
    sa.Column("object", sa.String(450)),
    sa.Column("content", sa.LargeBinary),
)
LINES = sa.Table(
    "stored_lines",
    TABLES,
    sa.Column("thing", sa.String(120), primary_key=True),
    sa.Column("name", sa.String(250), primary_key=True),
    sa.Column("start", sa.BigInteger, primary_key=True),
    sa.Column("content", sa.LargeBinary),
)
GARBAGE = sa.Table(
    "stored_garbage",
    TABLES,
    sa.Column("object", sa.String(450), primary_key=True),
    sa.Column("due", sa.Double),
)
NUMBER = sa.Table("stored_number", TABLES, sa.Column("newest", sa.BigInteger))

UNDONE = 3600.0  # seconds for which what was replaced or deleted stays in the store: others may be reading it
UNFINISHED = 86_400.0  # seconds that an upload may take until its row is written
MOST = 500  # things of one answer
PARTS = 200  # of a log, from which they become one


@dataclass(frozen=True)
class Stored:
    """A file as the database knows it.

    `version` is the SHA-256 of its bytes, or of a log a name that changes when it is rewritten. `modified` is in
    nanoseconds since the epoch. Its bytes are an object's, or where that is "" in the database.
    """

    name: str
    version: str
    n_bytes: int
    modified: int
    object: str = ""


@dataclass(frozen=True)
class StoredThing:
    """The number of its last change, and whether that deleted it."""

    name: str
    number: int
    is_deleted: bool


class ChangedMeanwhile(Exception):  # noqa: N818 (nobody made an error)
    """Another machine has changed the thing first; nothing was written."""


class NotAllowed(Exception):  # noqa: N818
    """The job is another worker's, or a job works on the thing; nothing was written."""


def changed_since(number: int) -> list[StoredThing]:
    """What has changed since that number, at most 500 things, the oldest change first."""
    newer = sa.select(THINGS).where(THINGS.c.number > number).order_by(THINGS.c.number).limit(MOST)
    with queue.begin() as connection:
        return [_thing(row) for row in connection.execute(newer)]


def newest() -> int:
    """The number of the last change of all."""
    with queue.begin() as connection:
        return int(connection.execute(sa.select(NUMBER.c.newest)).scalar_one())


def thing(name: str) -> StoredThing | None:
    """One thing; None where it was never stored."""
    with queue.begin() as connection:
        row = connection.execute(sa.select(THINGS).where(THINGS.c.thing == name)).first()
    return _thing(row) if row else None


def _thing(row: sa.Row[tuple[str, int, float | None]]) -> StoredThing:
    return StoredThing(row.thing, row.number, row.deleted is not None)


def files(thing: str) -> dict[str, Stored]:
    """The files of a thing by name."""
    columns = (FILES.c[name] for name in ("name", "version", "n_bytes", "modified", "object"))
    with queue.begin() as connection:
        found = connection.execute(sa.select(*columns).where(FILES.c.thing == thing))
        return {row.name: Stored(*row) for row in found}


def content(thing: str, name: str) -> bytes | None:
    """The bytes of a small file; None where there are none, or not any more."""
    with queue.begin() as connection:
        found = connection.execute(
            sa.select(FILES.c.content).where(FILES.c.thing == thing, FILES.c.name == name)
        ).scalar()
    return None if found is None else bytes(found)


def lines(thing: str, name: str, start: int) -> bytes:
    """The bytes of a log from there on; fewer than expected where it was rewritten meanwhile."""
    with queue.begin() as connection:
        return _lines(connection, thing, name, start)


def _lines(connection: sa.Connection, thing: str, name: str, start: int) -> bytes:
    is_its = sa.and_(LINES.c.thing == thing, LINES.c.name == name)
    first = sa.select(sa.func.max(LINES.c.start)).where(is_its, LINES.c.start <= start)
    at = connection.execute(first).scalar()
    if at is None:
        return b""
    is_wanted = sa.and_(is_its, LINES.c.start >= at)
    parts = sa.select(LINES.c.content).where(is_wanted).order_by(LINES.c.start)
    found = b"".join(map(bytes, connection.execute(parts).scalars()))
    return found[start - at :]


class Change:
    """A change of one thing that is being written: all of it, or nothing."""

    def __init__(self, connection: sa.Connection, thing: str, number: int) -> None:
        self._connection = connection
        self.thing = thing
        self.number = number

    def require_held(self, job: str, worker: str) -> None:
        """Raises NotAllowed unless that worker has the job."""
        if not queue.is_held(self._connection, job, worker):
            raise NotAllowed(job)

    def require_idle(self) -> None:
        """Raises NotAllowed while a job of the thing waits or runs: its worker alone writes then."""
        if queue.is_wanted(self._connection, self.thing.partition("/")[2]):
            raise NotAllowed(self.thing)

    def put(self, file: Stored, content: bytes | None = None) -> None:
        """Store a file; `content` unless it is an object. The object that it had before becomes garbage."""
        self._drop_file(file.name)
        row = {"thing": self.thing, **vars(file), "content": content}
        self._connection.execute(sa.insert(FILES).values(row))
        self._connection.execute(sa.delete(GARBAGE).where(GARBAGE.c.object == file.object))

    def put_lines(self, file: Stored, content: bytes, start: int) -> None:
        """Append to a log, or replace it where `start` is 0. Many parts become one."""
        is_its = sa.and_(LINES.c.thing == self.thing, LINES.c.name == file.name)
        parts = sa.select(sa.func.count()).select_from(LINES).where(is_its)
        if start and self._connection.execute(parts).scalar_one() >= PARTS:
            content = _lines(self._connection, self.thing, file.name, 0)[:start] + content
            start = 0
        if start == 0:
            self.drop(file.name)
        self.put(file)
        if content:
            row = {"thing": self.thing, "name": file.name, "start": start, "content": content}
            self._connection.execute(sa.insert(LINES).values(row))

    def drop(self, name: str) -> None:
        """A file is no longer part of the thing."""
        self._drop_file(name)
        is_its = sa.and_(LINES.c.thing == self.thing, LINES.c.name == name)
        self._connection.execute(sa.delete(LINES).where(is_its))

    def delete_thing(self) -> None:
        """It is gone for everybody; for an hour it can be put again without an upload."""
        gone = sa.update(THINGS).where(THINGS.c.thing == self.thing).values(deleted=time.time())
        self._connection.execute(gone)

    def _drop_file(self, name: str) -> None:
        is_it = sa.and_(FILES.c.thing == self.thing, FILES.c.name == name)
        gone = sa.delete(FILES).where(is_it).returning(FILES.c.object)
        _add_garbage(self._connection, self._connection.execute(gone).scalars(), UNDONE)


@contextmanager
def changing(thing: str, since: int) -> Iterator[Change]:
    """A transaction that changes a thing whose last change has the number `since` (0: it is new).

    Raises ChangedMeanwhile where that is not its last one.
    """
    is_it = THINGS.c.thing == thing
    with queue.begin() as connection:
        # The row of the number is locked until the commit, so that commits have the order of the numbers.
        newest = sa.update(NUMBER).values(newest=NUMBER.c.newest + 1).returning(NUMBER.c.newest)
        number = int(connection.execute(newest).scalar_one())
        before = connection.execute(sa.select(THINGS.c.number).where(is_it)).scalar()
        if (before or 0) != since:
            raise ChangedMeanwhile(thing)
        connection.execute(sa.delete(THINGS).where(is_it))
        connection.execute(sa.insert(THINGS).values(thing=thing, number=number, deleted=None))
        yield Change(connection, thing, number)


def expect(object: str) -> None:
    """An object is about to be uploaded: garbage, unless a row names it by then."""
    with queue.begin() as connection:
        _add_garbage(connection, [object], UNFINISHED)


def _add_garbage(connection: sa.Connection, objects: Iterable[str], seconds: float) -> None:
    for object in filter(None, objects):
        row = {"object": object, "due": time.time() + seconds}
        connection.execute(sa.insert(GARBAGE).values(row))


def take_garbage(*, now: float | None = None) -> list[str]:
    """Objects that nobody needs any more, at most 500; what was deleted permanently becomes garbage first."""
    now = time.time() if now is None else now
    old = sa.select(THINGS.c.thing).where(THINGS.c.deleted < now - UNDONE)
    with queue.begin() as connection:
        gone = sa.delete(FILES).where(FILES.c.thing.in_(old)).returning(FILES.c.object)
        _add_garbage(connection, list(connection.execute(gone).scalars()), 0.0)
        connection.execute(sa.delete(LINES).where(LINES.c.thing.in_(old)))
        due = sa.select(GARBAGE.c.object).where(GARBAGE.c.due <= now).limit(MOST)
        return [str(object) for object in connection.execute(due).scalars()]


def forget_garbage(object: str) -> None:
    """It was deleted from the store."""
    with queue.begin() as connection:
        connection.execute(sa.delete(GARBAGE).where(GARBAGE.c.object == object))
