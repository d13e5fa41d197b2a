"""The last lines that a failed job's process printed, in the database: its log is on the machine that worked on it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from s2s.files.database import JOB_LOGS, JOBS, begin
from s2s.processes.channel import log_path

MOST_LINES = 50
MOST_BYTES = 10_000
MOST_KEPT = 200  # logs, the newest

ROW = JOB_LOGS.c


@dataclass(frozen=True)
class JobLog:
    """What one job's process printed last."""

    job: str
    host: str  # of the worker
    lines: str
    written: float  # seconds since the epoch


def keep_log(job: str) -> None:
    """Keep the end of the log that a job has on this machine, if it has printed anything. Raises UnreachableError."""
    path = log_path(job)
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - MOST_BYTES))
            printed = file.read(MOST_BYTES)
    except OSError:  # its process never existed, or the log cannot be read
        return
    keep_lines(job, printed.decode("utf-8", "replace").splitlines())


def keep_lines(job: str, lines: Sequence[str]) -> None:
    """Keep the last of these lines instead of the job's former ones, if there are any. Raises UnreachableError."""
    last = [line for line in lines if line.strip()][-MOST_LINES:]
    kept = "\n".join(last)[-MOST_BYTES:].replace("\0", "\N{REPLACEMENT CHARACTER}")
    if not kept:
        return
    with begin() as connection:
        connection.execute(sa.delete(JOB_LOGS).where(ROW.job == job))
        connection.execute(sa.insert(JOB_LOGS).values(job=job, lines=kept, written=time.time()))
        newest = sa.select(ROW.job).order_by(ROW.written.desc()).limit(MOST_KEPT)
        names = connection.execute(newest).scalars().all()
        connection.execute(sa.delete(JOB_LOGS).where(ROW.job.not_in(names)))


def delete_logs(connection: sa.Connection, condition: sa.ColumnElement[bool]) -> None:
    """Delete the logs of jobs that leave the table, also all that their processes printed on this machine."""
    found = sa.select(JOBS.c.id).where(condition)
    for job in connection.execute(found).scalars():
        log_path(job).unlink(missing_ok=True)
    connection.execute(sa.delete(JOB_LOGS).where(ROW.job.in_(found)))


def newest_logs(limit: int = 10) -> list[JobLog]:
    """The kept logs of jobs that are still in the table, newest first. Raises UnreachableError."""
    return _select(sa.true(), limit)


def last_log(job: str) -> str:
    """The last lines of one job; empty where none were kept. Raises UnreachableError."""
    found = _select(ROW.job == job, 1)
    return found[0].lines if found else ""


def _select(condition: sa.ColumnElement[bool], limit: int) -> list[JobLog]:
    query = sa.select(ROW.job, JOBS.c.host, ROW.lines, ROW.written)
    query = query.join(JOBS, JOBS.c.id == ROW.job).where(condition)
    with begin() as connection:
        rows = connection.execute(query.order_by(ROW.written.desc()).limit(limit)).all()
    return [JobLog(*row) for row in rows]
