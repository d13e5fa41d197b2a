"""How full the queue is; names nobody but the workspaces that have jobs."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import sqlalchemy as sa

from s2s.jobs.queue.database import JOBS, begin

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
    live = ROW.state.in_(("queued", "running"))
    n = sa.func.count()
    with begin() as connection:
        by_kind = connection.execute(
            sa.select(ROW.kind, ROW.state, n).group_by(ROW.kind, ROW.state)
        ).all()
        lost = connection.execute(
            sa.select(n).select_from(JOBS).where(ROW.state == "running", ROW.lease < now)
        ).scalar()
        oldest = connection.execute(
            sa.select(sa.func.min(ROW.created)).where(ROW.state == "queued")
        ).scalar()
        mean = connection.execute(
            sa.select(sa.func.avg(ROW.started - ROW.created)).where(ROW.started > now - LATELY)
        ).scalar()
        by_owner = connection.execute(sa.select(ROW.owner, n).where(live).group_by(ROW.owner)).all()
    return QueueCounts(
        {(str(kind), str(state)): int(number) for kind, state, number in by_kind},
        int(lost or 0),
        max(0.0, now - oldest) if oldest is not None else 0.0,
        max(0.0, float(mean or 0.0)),
        {str(owner): int(number) for owner, number in by_owner},
    )
