"""How full the queue is; names nobody but the workspaces that have jobs."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import sqlalchemy as sa

from s2s.jobs.queue.database import JOBS, begin
from s2s.jobs.queue.ranks import RANK

ROW = JOBS.c
LATELY = 3600.0  # seconds


@dataclass(frozen=True)
class QueueCounts:
    """Jobs by kind and state; waits in seconds."""

    jobs: dict[tuple[str, str], int] = field(default_factory=dict)
    lost: int = 0  # running ones whose worker sends no sign of life
    longest_wait: float = 0.0  # of the jobs that wait now
    mean_wait: float = 0.0  # of the jobs that were started within the last hour
    by_workspace: dict[str, int] = field(default_factory=dict)  # waiting and running ones


def counts(*, now: float | None = None) -> QueueCounts:
    """As it is now. Raises UnreachableError."""
    now = time.time() if now is None else now
    n = sa.func.count()
    is_live = ROW.state.in_(("queued", "running"))
    is_lost = sa.and_(ROW.state == "running", ROW.lease < now)
    wait = ROW.started - ROW.created
    jobs = sa.select(ROW.kind, ROW.state, n).group_by(ROW.kind, ROW.state)
    lost = sa.select(n).select_from(JOBS).where(is_lost)
    oldest = sa.select(sa.func.min(ROW.created)).where(ROW.state == "queued", ROW.kind != RANK)
    mean_wait = sa.select(sa.func.avg(wait)).where(ROW.started > now - LATELY, ROW.kind != RANK)
    owners = sa.select(ROW.owner, n).where(is_live).group_by(ROW.owner)
    with begin() as connection:
        since = connection.execute(oldest).scalar()
        return QueueCounts(
            jobs={(str(kind), str(state)): int(k) for kind, state, k in connection.execute(jobs)},
            lost=int(connection.execute(lost).scalar() or 0),
            longest_wait=0.0 if since is None else max(0.0, now - since),
            mean_wait=max(0.0, float(connection.execute(mean_wait).scalar() or 0.0)),
            by_workspace={str(owner): int(k) for owner, k in connection.execute(owners)},
        )


def live_by_slot() -> dict[str, int]:
    """How many jobs wait or run, by slot; none of a slot where there are none. Raises UnreachableError."""
    query = sa.select(ROW.slot, sa.func.count()).where(ROW.state.in_(("queued", "running")))
    with begin() as connection:
        return {str(slot): int(n) for slot, n in connection.execute(query.group_by(ROW.slot))}
