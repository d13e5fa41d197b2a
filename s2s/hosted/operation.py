"""What the operator of a server sees of the queue and may do with it: every function asks who works here."""

from __future__ import annotations

import time
from dataclasses import dataclass

from s2s.config import UserError, asker
from s2s.library import Library, Thing, rights
from s2s.processes import queue

LONGEST_NOTICE = 300  # characters
SERVER = Thing("server", "this server", asker.OPERATOR)


@dataclass(frozen=True)
class QueuedJob:
    """A job that waits or runs, without anything that its owner wrote."""

    id: str
    kind: str
    workspace: str
    slot: str
    state: str
    position: int | None  # jobs that start before it; None once it runs
    seconds: float  # for which it waits, or works since a worker took it
    host: str
    is_stopping: bool


def pause_queue(is_paused: bool) -> None:
    """Let no job start any more, or let jobs start again; running ones continue."""
    rights.require("change", SERVER)
    queue.set_paused(is_paused)


def put_up_notice(sentence: str) -> None:
    """Show all visitors a sentence; an empty one removes it. Raises UserError where it is too long."""
    rights.require("change", SERVER)
    sentence = " ".join("".join(filter(str.isprintable, " ".join(sentence.split()))).split())
    if len(sentence) > LONGEST_NOTICE:
        raise UserError(
            f"The notice has {len(sentence)} characters and may have {LONGEST_NOTICE}; write a shorter one."
        )
    queue.set_notice(sentence)


def stop_job(job_id: str) -> None:
    """Stop anybody's job: it keeps what it has done. Raises UserError where it neither waits nor runs."""
    job = Library().job(job_id, "change", "job")
    if job is None:
        raise rights.unknown("job", job_id)
    if job.state not in ("queued", "running"):
        raise UserError(f"The job `{job.id}` neither waits nor runs; there is nothing to stop.")
    queue.abandon(job.id)
    queue.ask_to_stop(job.id, job.owner)


def live_jobs(*, now: float | None = None) -> list[QueuedJob]:
    """All jobs that wait or run, the running ones first, then in the order in which they will start."""
    rights.require("list", Thing("job", "", asker.OPERATOR))
    now = time.time() if now is None else now
    positions = queue.positions()
    jobs = [_queued(job, positions.get(job.id), now) for job in reversed(queue.live_jobs())]
    return sorted(jobs, key=lambda job: (job.position is not None, job.position or 0, -job.seconds))


def _queued(job: queue.Job, position: int | None, now: float) -> QueuedJob:
    is_waiting = job.state == "queued"
    since = job.created if is_waiting else job.started or job.created
    is_lost = job.state == "running" and not job.is_live(now)
    return QueuedJob(
        job.id,
        job.kind,
        job.owner,
        job.slot,
        "waits for a worker" if is_lost else job.state,
        position if is_waiting else None,
        max(0.0, now - since),
        "" if is_waiting else job.host,
        job.stop,
    )
