"""The queue: jobs wait in a table until a worker claims them. Knows nothing of what a job does."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from s2s.config import UserError
from s2s.files import from_json, to_json
from s2s.files.database import JOBS, alone, begin
from s2s.processes.queue.job_logs import delete_logs
from s2s.processes.queue.server_state import read_state
from s2s.processes.queue.time_used import keep_time_used, minutes_within_a_day
from s2s.processes.queue.turns import in_turn, note_turn
from s2s.settings import limits, new_id

# Jobs of a few seconds, each 35 MB: a class that starts together sees its curves together.
LOST = 3  # exit status of a process whose lease ran out, as while the database was away: it is no end of the job
EXPRESS_AT_ONCE = 12
# Running jobs per host, by slot.
AT_ONCE = MappingProxyType({"long": 1, "express": EXPRESS_AT_ONCE, "gpu": 1})
MOST_LISTED = 1000  # jobs
ATTEMPTS = 3  # a job whose process died three times is not started a fourth time

ROW = JOBS.c


@dataclass(frozen=True)
class ControlRequests:
    """What the owner of a running job requests while it works."""

    pause: bool = False
    once: int = 0  # single updates requested during pauses since it was submitted
    lr: float | None = None  # the peak learning rate from now on; None is the recipe's


@dataclass(frozen=True)
class Job:
    """A job as its row in the queue. Times are seconds since the epoch, None before the event."""

    id: str
    kind: str
    owner: str
    run: str
    slot: str
    spec: Mapping[str, Any]
    state: str  # queued, running, done, stopped, failed, interrupted
    stop: bool  # its owner requested it
    attempts: int  # workers that have claimed it
    worker: str
    host: str
    lease: float  # until then the worker counts as alive
    note: str  # what it is doing now, a sentence
    error: str  # what went wrong, a sentence
    created: float
    started: float | None
    finished: float | None
    waited: float | None  # seconds until its first start
    controls: ControlRequests  # the column `wishes`

    def is_live(self, now: float | None = None) -> bool:
        """Whether the job waits, or a worker with a valid lease has it."""
        return self.state == "queued" or (self.state == "running" and self.lease >= _now(now))


class LeaseLost(Exception):  # noqa: N818 (nobody made an error)
    """Another worker has the job now, or nobody."""


def _now(given: float | None) -> float:
    return time.time() if given is None else given


def submit(
    kind: str,
    owner: str,
    run: str,
    spec: Mapping[str, Any],
    *,
    express: bool = False,
    needs_gpu: bool = False,
    now: float | None = None,
) -> str:
    """Put a job at the end of the queue; returns its id. One that needs a GPU waits for a worker that has one.

    Raises UserError where the run has such a job already, where its owner has the most jobs allowed, and where the
    queue is full.
    """
    values = {
        "id": new_id(),
        "kind": kind,
        "owner": owner,
        "run": run,
        "slot": "gpu" if needs_gpu else "express" if express else "long",
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
        "wishes": {},
    }
    try:
        with alone() as connection:
            _check_room(connection, owner, _now(now))
            connection.execute(sa.insert(JOBS).values(values))
    except IntegrityError as error:
        raise UserError(
            f"The run `{run}` is already waiting or running; wait for it, or stop it first."
        ) from error
    return str(values["id"])


def _check_room(connection: sa.Connection, owner: str, now: float) -> None:
    allowed = limits()
    minutes = (
        minutes_within_a_day(connection, owner, now) if allowed.daily_minutes is not None else 0.0
    )
    if allowed.daily_minutes is not None and minutes >= allowed.daily_minutes:
        raise UserError(
            f"Your jobs have worked {minutes:.0f} minutes in the last 24 hours, and {allowed.daily_minutes} are"
            " allowed; try again in a few hours."
        )
    is_live = ROW.state.in_(("queued", "running"))
    own = _count(connection, ROW.owner == owner, is_live)
    if allowed.jobs is not None and own >= allowed.jobs:
        raise UserError(
            f"{own} of your runs wait or train, and {allowed.jobs} may at once; wait until one is done, or stop one."
        )
    waiting = _count(connection, ROW.state == "queued")
    if allowed.queue is not None and waiting >= allowed.queue:
        raise UserError(
            f"The queue is full: {waiting} runs wait, and {allowed.queue} may; try again when some of them are done."
        )


def _count(connection: sa.Connection, *conditions: sa.ColumnElement[bool]) -> int:
    query = sa.select(sa.func.count()).select_from(JOBS).where(*conditions)
    return int(connection.execute(query).scalar_one())


def claim(worker: str, host: str, slot: str, ttl: float, *, now: float | None = None) -> Job | None:
    """Take the next job of that slot for `ttl` seconds.

    None where none waits, the host's slots are full, or the operator has paused the queue.

    Jobs whose worker died come first. Then owners take turns: next is the one who started in this slot longest ago.
    """
    now = _now(now)
    lost = sa.and_(ROW.slot == slot, ROW.state == "running", ROW.lease < now)
    free = sa.or_(lost, sa.and_(ROW.slot == slot, ROW.state == "queued"))
    if not _any(free):  # the usual case takes no write lock
        return None
    if _any(lost):
        _update(lost, ROW.stop, state="stopped", error="", note="", finished=ROW.lease)
        died = f"It was started {ATTEMPTS} times and its process died each time"
        error = f"{died}; see the log, then start it again with a smaller model."
        spent = ROW.attempts >= ATTEMPTS
        _update(lost, spent, state="interrupted", error=error, note="", finished=ROW.lease)
    busy = sa.and_(ROW.slot == slot, ROW.host == host, ROW.state == "running", ROW.lease >= now)
    taken = {
        "state": "running",
        "worker": worker,
        "host": host,
        "lease": now + ttl,
        "attempts": ROW.attempts + 1,
        "started": now,
        "waited": sa.func.coalesce(ROW.waited, now - ROW.created),
    }
    with alone() as connection:
        if read_state(connection).is_paused or _count(connection, busy) >= AT_ONCE[slot]:
            return None
        job = _first(connection, lost) or next(iter(in_turn(connection, slot)), None)
        keep_time_used(connection, sa.and_(ROW.id == job, lost), now)
        # Check again that it is free: under PostgreSQL it may have been stopped, or its lease renewed, in between.
        row = connection.execute(
            sa.update(JOBS).where(ROW.id == job, free).values(taken).returning(*ROW)
        ).first()
        if row:
            note_turn(connection, row.owner, slot)
    return _job(row) if row else None


def _first(connection: sa.Connection, condition: sa.ColumnElement[bool]) -> str | None:
    return connection.execute(
        sa.select(ROW.id).where(condition).order_by(ROW.created, ROW.id).limit(1)
    ).scalar()


def _job(row: sa.Row[Any]) -> Job:
    values = dict(row._mapping)
    controls = from_json(ControlRequests, values.pop("wishes"))
    return Job(**values, controls=controls)


def _any(condition: sa.ColumnElement[bool]) -> bool:
    with begin() as connection:
        return connection.execute(sa.select(ROW.id).where(condition).limit(1)).first() is not None


def _update(*conditions: sa.ColumnElement[bool], **values: Any) -> int:
    with begin() as connection:
        return int(connection.execute(sa.update(JOBS).where(*conditions).values(values)).rowcount)


def _ours(job: str, worker: str) -> sa.ColumnElement[bool]:
    return sa.and_(ROW.id == job, ROW.worker == worker, ROW.state == "running")


def renew(job: str, worker: str, ttl: float, *, now: float | None = None) -> None:
    """Renew the job's lease for `ttl` seconds. Raises LeaseLost where it is no longer this worker's."""
    if not _update(_ours(job, worker), lease=_now(now) + ttl):
        raise LeaseLost(job)


def poll_requests(job: str, worker: str) -> tuple[bool, ControlRequests]:
    """Whether a stop was requested, and the control requests.

    Raises LeaseLost where it is no longer this worker's.
    """
    with begin() as connection:
        row = connection.execute(sa.select(ROW.stop, ROW.wishes).where(_ours(job, worker))).first()
    if row is None:
        raise LeaseLost(job)
    return bool(row.stop), from_json(ControlRequests, row.wishes)


def progressed(job: str, worker: str) -> None:
    """Note that a job saved a checkpoint: its crashes are counted from zero again."""
    _update(_ours(job, worker), ROW.attempts > 1, attempts=1)


def note_dead_worker(host_ends: str, note: str) -> None:
    """Say in a sentence, with the jobs of a worker that has died, why they wait for another one."""
    _update(ROW.host.endswith(host_ends, autoescape=True), ROW.state == "running", note=note)


def set_note(job: str, worker: str, note: str) -> None:
    """Say in a sentence what the job is doing now; ignored where it is no longer this worker's."""
    _update(_ours(job, worker), note=note)


def finish(job: str, worker: str, state: str, error: str = "", *, now: float | None = None) -> bool:
    """Write a job's last state, unless it is no longer this worker's; returns whether it was."""
    return bool(_update(_ours(job, worker), state=state, error=error, note="", finished=_now(now)))


def hand_back(job: str, worker: str, *, now: float | None = None) -> None:
    """Give a job back to the queue because its worker ends; the next worker takes it before all that wait.

    Does nothing where it is no longer this worker's; a stop that was requested counts first.
    """
    ours = _ours(job, worker)
    _update(ours, ROW.stop, state="stopped", error="", note="", finished=_now(now))
    waiting = {"state": "queued", "worker": "", "lease": 0.0, "note": ""}
    with begin() as connection:
        keep_time_used(connection, ours, _now(now))
        waiting |= {"attempts": ROW.attempts - 1}
        connection.execute(sa.update(JOBS).where(ours).values(waiting))


def abandon(job: str, *, now: float | None = None) -> bool:
    """Give up a job whose worker died, so that no worker resumes it; returns whether it was such a job."""
    now = _now(now)
    return bool(
        _update(
            ROW.id == job,
            ROW.state == "running",
            ROW.lease < now,
            state="interrupted",
            note="",
            finished=ROW.lease,
        )
    )


def ask_to_stop(job: str, owner: str, *, now: float | None = None) -> None:
    """Stop a job: one that waits at once, a running one at its next step.

    Raises UserError for somebody else's job.
    """
    mine = sa.and_(ROW.id == job, ROW.owner == owner)
    if not _any(mine):
        raise UserError(f"There is no job `{job}` of yours; reload the page to see yours.")
    if not _update(mine, ROW.state == "queued", state="stopped", finished=_now(now)):
        _update(mine, ROW.state == "running", stop=True)


def request_control(
    job: str, owner: str, *, pause: bool | None = None, once: int = 0, lr: float | None = None
) -> None:
    """Change the control requests of a running job; `once` adds single updates, None changes nothing.

    Raises UserError for somebody else's job, or one that is not running.
    """
    with alone() as connection:
        query = (
            sa.select(ROW.state, ROW.wishes)
            .where(ROW.id == job, ROW.owner == owner)
            .with_for_update()
        )  # not in SQLite
        row = connection.execute(query).first()
        if row is None:
            raise UserError(f"There is no job `{job}` of yours; reload the page to see yours.")
        if row.state != "running":
            raise UserError(
                f"The job `{job}` is not running, so it cannot be changed; reload the page to see its state."
            )
        before = from_json(ControlRequests, row.wishes)
        after = ControlRequests(
            before.pause if pause is None else pause,
            before.once + once,
            before.lr if lr is None else lr,
        )
        connection.execute(sa.update(JOBS).where(ROW.id == job).values(wishes=to_json(after)))


def find(job: str) -> Job | None:
    return next(iter(_select(ROW.id == job, limit=1)), None)


def jobs(owner: str, limit: int = 200, kind: str | None = None) -> list[Job]:
    """An owner's jobs, newest first; of one kind, or all."""
    return _select(
        sa.and_(ROW.owner == owner, sa.true() if kind is None else ROW.kind == kind), limit=limit
    )


def latest(run: str) -> Job | None:
    return next(iter(_select(ROW.run == run, limit=1)), None)


def _select(condition: sa.ColumnElement[bool], limit: int) -> list[Job]:
    statement = (
        sa.select(*ROW).where(condition).order_by(ROW.created.desc(), ROW.id.desc()).limit(limit)
    )
    with begin() as connection:
        return [_job(row) for row in connection.execute(statement)]


def live_jobs() -> list[Job]:
    """Everybody's jobs that wait or run, newest first."""
    return _select(ROW.state.in_(("queued", "running")), limit=MOST_LISTED)


def is_anything_left(
    host: str, slots: Collection[str] = tuple(AT_ONCE), *, now: float | None = None
) -> bool:
    """Whether a job of these slots waits, runs on this host, or lost its worker."""
    running = sa.and_(ROW.state == "running", sa.or_(ROW.host == host, ROW.lease < _now(now)))
    return _any(sa.and_(ROW.slot.in_(slots), sa.or_(ROW.state == "queued", running)))


def rename(job: str, name: str) -> None:
    """Change the name in the job's request, while no worker has read it."""
    if found := find(job):
        _update(ROW.id == job, spec={**found.spec, "name": name})


def give(job: str, owner: str) -> None:
    """Give a job that is not running to another owner."""
    _update(ROW.id == job, ROW.state != "running", owner=owner)


def delete_jobs(run: str, *, owner: str | None = None, now: float | None = None) -> None:
    """Delete the jobs of a run, all or those of one owner, with their logs; the time that they worked still counts."""
    is_of_run = (ROW.run == run) & (ROW.owner == (owner or ROW.owner))
    with begin() as connection:
        keep_time_used(connection, is_of_run, _now(now))
        delete_logs(connection, is_of_run)
        connection.execute(sa.delete(JOBS).where(is_of_run))
