"""For how long the jobs of an owner have worked."""

from __future__ import annotations

import time

import sqlalchemy as sa

from s2s.jobs.queue.database import JOBS, begin

DAY = 86_400.0  # seconds
ROW = JOBS.c


def minutes_of_a_day(owner: str, *, now: float | None = None) -> float:
    """Minutes for which jobs of an owner have worked within 24 hours; those of deleted runs are not known."""
    with begin() as connection:
        return minutes_within_a_day(connection, owner, time.time() if now is None else now)


def minutes_within_a_day(connection: sa.Connection, owner: str, now: float) -> float:
    """The same within a transaction."""
    is_recent = sa.or_(ROW.finished >= now - DAY, ROW.finished.is_(None))
    query = sa.select(ROW.started, ROW.finished, ROW.lease, ROW.state).where(
        ROW.owner == owner, ROW.started.is_not(None), ROW.started <= now, is_recent
    )
    total = 0.0
    for started, finished, lease, state in connection.execute(query):
        is_working = state == "running"
        end = min(now, lease) if is_working else finished or started
        total += max(0.0, end - max(started, now - DAY))
    return total / 60
