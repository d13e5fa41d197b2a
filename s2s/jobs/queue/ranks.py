"""The jobs of the other processes of a training that has several: rank 0 is the training's own job.

They belong to one attempt, end with it, and are claimed before other jobs, because a worker waits for them already.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from s2s.jobs.queue.database import JOBS, alone, begin
from s2s.jobs.queue.job_logs import delete_logs
from s2s.jobs.queue.time_used import keep_time_used
from s2s.settings import new_id

if TYPE_CHECKING:
    from s2s.jobs.queue.table import Job

RANK = "rank"  # their kind, and the slot of those that work beside rank 0, on its machine
MOST_PROCESSES = 64  # as in `train.processes`
ROW = JOBS.c


def names_of_ranks(run: str) -> list[str]:
    """Under which names, instead of a run's, the jobs of its ranks are in the queue."""
    return [f"{run}.{number}" for number in range(1, MOST_PROCESSES)]


def submit_ranks(training: Job, specs: Sequence[Mapping[str, Any]], *, host: str = "") -> None:
    """Put a job per `spec` in the queue, in place of those of an earlier attempt; `host` takes them, if given, beside
    rank 0.
    """
    rows = [
        {
            "id": new_id(),
            "kind": RANK,
            "owner": training.owner,
            "run": name,
            "slot": RANK if host else training.slot,
            "spec": dict(spec),
            "state": "queued",
            "stop": False,
            "attempts": 0,
            "worker": "",
            "host": host,
            "lease": 0.0,
            "note": "",
            "error": "",
            "created": training.created,  # so that the ranks of the oldest training are claimed first
            "wishes": {},
        }
        for name, spec in zip(names_of_ranks(training.run), specs, strict=False)
    ]
    with alone() as connection:
        _delete(connection, training.run)
        connection.execute(sa.insert(JOBS), rows)


def delete_ranks(run: str) -> None:
    """The attempt is over: none of its ranks is started, and those that work end themselves."""
    with begin() as connection:
        _delete(connection, run)


def _delete(connection: sa.Connection, run: str) -> None:
    is_rank = ROW.run.in_(names_of_ranks(run))
    keep_time_used(connection, is_rank, time.time())
    delete_logs(connection, is_rank)
    connection.execute(sa.delete(JOBS).where(is_rank))


def is_older_waiting(training: Job) -> bool:
    """Whether an older training waits for workers of the same slot, of which this one holds some."""
    older = sa.or_(
        ROW.created < training.created,
        sa.and_(ROW.created == training.created, ROW.run < training.run),
    )
    waiting = sa.and_(ROW.kind == RANK, ROW.slot == training.slot, ROW.state == "queued")
    with begin() as connection:
        found = sa.select(ROW.id).where(
            waiting, older, ROW.run.not_in(names_of_ranks(training.run))
        )
        return connection.execute(found.limit(1)).first() is not None
