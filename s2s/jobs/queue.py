"""The queue: jobs wait in a table until a worker claims them. Knows nothing of what a job does."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from s2s.config import UserError
from s2s.jobs.database import JOBS, begin
from s2s.settings import new_id

SLOTS = ("long", "express")
ATTEMPTS = 3  # a job that takes three workers with it is not handed to a fourth

ROW = JOBS.c


@dataclass(frozen=True)
class Job:
    """One row. Times are seconds since the epoch, None before they come."""

    id: str
    kind: str
    owner: str
    run: str
    slot: str
    spec: Mapping[str, Any]
    state: str  # queued, running, done, stopped, failed, interrupted
    stop: bool  # somebody asked for it
    attempts: int  # workers that have claimed it
    worker: str
    host: str
    lease: float  # until then the worker counts as alive
    note: str  # what it is doing now, a sentence
    error: str  # what went wrong, a sentence
    created: float
    started: float | None
    finished: float | None

    def is_live(self, now: float | None = None) -> bool:
        """Whether it waits, or a worker that was heard of lately has it."""
        return self.state == "queued" or (self.state == "running" and self.lease >= _now(now))


class Lost(Exception):  # noqa: N818 (no error of anybody)
    """Another worker has the job now, or nobody."""


def _now(given: float | None) -> float:
    return time.time() if given is None else given


def submit(kind: str, owner: str, run: str, spec: Mapping[str, Any], *, express: bool = False, now: float | None = None) -> str:
    """Put a job at the end of the queue; returns its id. Raises UserError where the run has such a job already."""
    values = {
        "id": new_id(),
        "kind": kind,
        "owner": owner,
        "run": run,
        "slot": "express" if express else "long",
        "spec": dict(spec),
        "state": "queued",
        "stop": False,
        "attempts": 0,
        "worker": "",
        "host": "",
        "lease": 0.0,
        "note": "",
        "error": "",
        "created": _now(now),
    }
    try:
        with begin() as connection:
            connection.execute(sa.insert(JOBS).values(values))
    except IntegrityError as error:
        raise UserError(f"The run `{run}` waits or is being worked on already; wait for it, or stop it first.") from error
    return str(values["id"])


def claim(worker: str, host: str, slot: str, ttl: float, *, now: float | None = None) -> Job | None:
    """Take the oldest job of that slot that waits or whose worker died, for `ttl` seconds; one a host and slot at a time."""
    now = _now(now)
    lost = sa.and_(ROW.state == "running", ROW.lease < now)
    free = sa.and_(ROW.slot == slot, sa.or_(ROW.state == "queued", lost))
    if not _any(free):  # the usual case takes no write lock
        return None
    _give_up(sa.and_(lost, ROW.stop), now, state="stopped", error="")
    tired = f"It was started {ATTEMPTS} times and its process died each time; see the log, then start it again with a smaller model."
    _give_up(sa.and_(lost, ROW.attempts >= ATTEMPTS), now, state="interrupted", error=tired)
    other = JOBS.alias()
    busy = sa.exists().where(other.c.host == host, other.c.slot == slot, other.c.state == "running", other.c.lease >= now)
    pick = sa.select(ROW.id).where(free, ~busy).order_by(ROW.created, ROW.id).limit(1).with_for_update(skip_locked=True)  # not in SQLite
    taken = {"state": "running", "worker": worker, "host": host, "lease": now + ttl, "attempts": ROW.attempts + 1, "started": now}
    statement = sa.update(JOBS).where(ROW.id == pick.scalar_subquery(), free).values(taken).returning(*ROW)
    with begin() as connection:
        row = connection.execute(statement).first()
    return Job(**row._mapping) if row else None


def _any(condition: sa.ColumnElement[bool]) -> bool:
    with begin() as connection:
        return connection.execute(sa.select(ROW.id).where(condition).limit(1)).first() is not None


def _give_up(condition: sa.ColumnElement[bool], now: float, **values: str) -> None:
    if _any(condition):
        _update(condition, finished=now, note="", **values)


def _update(*conditions: sa.ColumnElement[bool], **values: Any) -> int:
    """How many rows were changed."""
    with begin() as connection:
        return int(connection.execute(sa.update(JOBS).where(*conditions).values(values)).rowcount)


def _ours(job: str, worker: str) -> sa.ColumnElement[bool]:
    return sa.and_(ROW.id == job, ROW.worker == worker, ROW.state == "running")


def renew(job: str, worker: str, ttl: float, *, now: float | None = None) -> None:
    """Hold the job for `ttl` more seconds. Raises Lost where it is no longer this worker's."""
    if not _update(_ours(job, worker), lease=_now(now) + ttl):
        raise Lost(job)


def is_stop_wanted(job: str, worker: str) -> bool:
    """Whether somebody asked the job to stop. Raises Lost where it is no longer this worker's."""
    with begin() as connection:
        stop = connection.execute(sa.select(ROW.stop).where(_ours(job, worker))).scalar()
    if stop is None:
        raise Lost(job)
    return bool(stop)


def tell(job: str, note: str) -> None:
    """Say what the job is doing now, in a sentence."""
    _update(ROW.id == job, note=note)


def finish(job: str, worker: str, state: str, error: str = "", *, now: float | None = None) -> bool:
    """Write how it ended, unless it is no longer this worker's; returns whether it was."""
    return bool(_update(_ours(job, worker), state=state, error=error, note="", finished=_now(now)))


def abandon(job: str, *, now: float | None = None) -> bool:
    """A job whose worker died is given up, so that nobody goes on with it; returns whether it was such a job."""
    now = _now(now)
    return bool(_update(ROW.id == job, ROW.state == "running", ROW.lease < now, state="interrupted", note="", finished=now))


def ask_to_stop(job: str, owner: str, *, now: float | None = None) -> None:
    """A job that waits is stopped at once; a running one stops at its next step. Raises UserError for a job of somebody else."""
    mine = sa.and_(ROW.id == job, ROW.owner == owner)
    if not _any(mine):
        raise UserError(f"There is no job `{job}` of yours; reload the page to see those there are.")
    if not _update(mine, ROW.state == "queued", state="stopped", finished=_now(now)):
        _update(mine, ROW.state == "running", stop=True)


def find(job: str) -> Job | None:
    """The job of that id."""
    return next(iter(_select(ROW.id == job, limit=1)), None)


def jobs(owner: str, limit: int = 200) -> list[Job]:
    """An owner's jobs, newest first."""
    return _select(ROW.owner == owner, limit=limit)


def latest(run: str) -> Job | None:
    """The newest job of a run."""
    return next(iter(_select(ROW.run == run, limit=1)), None)


def _select(condition: sa.ColumnElement[bool], limit: int) -> list[Job]:
    statement = sa.select(*ROW).where(condition).order_by(ROW.created.desc(), ROW.id.desc()).limit(limit)
    with begin() as connection:
        return [Job(**row._mapping) for row in connection.execute(statement)]


def position(job: str) -> int:
    """How many jobs of its slot wait before it."""
    own, other = JOBS.alias(), JOBS.alias()
    earlier = sa.or_(other.c.created < own.c.created, sa.and_(other.c.created == own.c.created, other.c.id < own.c.id))
    before = sa.and_(own.c.id == job, other.c.state == "queued", other.c.slot == own.c.slot, earlier)
    with begin() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(own.join(other, before))).scalar_one())


def is_anything_left(host: str, *, now: float | None = None) -> bool:
    """Whether a job waits, runs on this host, or lost its worker."""
    running = sa.and_(ROW.state == "running", sa.or_(ROW.host == host, ROW.lease < _now(now)))
    return _any(sa.or_(ROW.state == "queued", running))


def rename(job: str, name: str) -> None:
    """Another name in what was asked for, while no worker has read it."""
    if found := find(job):
        _update(ROW.id == job, spec={**found.spec, "name": name})


def forget(run: str) -> None:
    """Delete the jobs of a run."""
    with begin() as connection:
        connection.execute(sa.delete(JOBS).where(ROW.run == run))
