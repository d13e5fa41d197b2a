"""For how long the jobs of an owner have worked: those in the queue's table, and those that have left it."""

from __future__ import annotations

import time

import sqlalchemy as sa

from s2s.files.database import JOBS, TIME_USED, begin

DAY = 86_400.0  # seconds
ROW = JOBS.c
USED = TIME_USED.c


def minutes_of_a_day(owner: str, *, now: float | None = None) -> float:
    """Minutes for which jobs of an owner have worked within 24 hours, also for runs that were deleted."""
    now = time.time() if now is None else now
    with begin() as connection:
        return minutes_within_a_day(connection, owner, now)


def minutes_within_a_day(connection: sa.Connection, owner: str, now: float) -> float:
    """Minutes for which jobs of an owner have worked within 24 hours, read within a transaction."""
    yesterday = now - DAY
    is_recent = sa.or_(ROW.finished >= yesterday, ROW.finished.is_(None))
    spans = _spans(connection, sa.and_(ROW.owner == owner, ROW.started <= now, is_recent), now)
    left = sa.select(USED.started, USED.ended).where(USED.owner == owner, USED.ended >= yesterday)
    spans += [(started, ended) for started, ended in connection.execute(left)]
    seconds = sum(max(0.0, ended - max(started, yesterday)) for started, ended in spans)
    return seconds / 60


def keep_time_used(
    connection: sa.Connection, condition: sa.ColumnElement[bool], now: float
) -> None:
    """Store how long these jobs have worked: before they leave the table, or it forgets when they were started."""
    connection.execute(sa.delete(TIME_USED).where(USED.ended < now - DAY))
    owners = sa.select(ROW.owner).where(condition).distinct()
    for owner in connection.execute(owners).scalars().all():
        spans = _spans(connection, sa.and_(condition, ROW.owner == owner), now)
        rows = [{"owner": owner, "started": started, "ended": ended} for started, ended in spans]
        if rows:
            connection.execute(sa.insert(TIME_USED), rows)


def _spans(
    connection: sa.Connection, condition: sa.ColumnElement[bool], now: float
) -> list[tuple[float, float]]:
    """When the last attempt of each of these jobs was started, and when it ended, or `now`.

    A job that was handed back has no worker; its time is already kept.
    """
    query = sa.select(ROW.started, ROW.finished, ROW.lease, ROW.state)
    query = query.where(condition, ROW.started.is_not(None), ROW.worker != "")
    spans = []
    for started, finished, lease, state in connection.execute(query):
        ended = min(now, lease) if state == "running" else finished or started
        spans.append((started, ended))
    return spans
