"""How full the queue is; names nobody but the workspaces that have jobs."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import sqlalchemy as sa

from s2s.files.database import JOBS, begin

ROW = JOBS.c
IS_LIVE = ROW.state.in_(("queued", "running"))
LATELY = 3600.0  # seconds


@dataclass(frozen=True)
class QueueCounts:
    """Jobs by kind and state; waits in seconds."""

    jobs: dict[tuple[str, str], int] = field(default_factory=dict)
    lost: int = 0  # running ones whose worker sends no sign of life
    longest_wait: float = 0.0  # of the jobs that wait now and never worked
    mean_wait: float = 0.0  # of the jobs that were first started within the last hour
    by_workspace: dict[str, int] = field(default_factory=dict)  # waiting and running ones


def counts(*, now: float | None = None) -> QueueCounts:
    """How full the queue is now. Raises UnreachableError."""
    now = time.time() if now is None else now
    n = sa.func.count().label("n")
    jobs = sa.select(ROW.kind, ROW.state, n).group_by(
        ROW.kind,
        ROW.state,
    )
    lost = sa.select(n).select_from(JOBS).where(ROW.state == "running").where(ROW.lease < now)
    oldest = (
        sa.select(sa.func.min(ROW.created))
        .where(ROW.state == "queued")
        .where(ROW.started.is_(None))
    )
    mean_wait = sa.select(sa.func.avg(ROW.waited)).where(ROW.created + ROW.waited > now - LATELY)
    owners = sa.select(ROW.owner, n).where(IS_LIVE).group_by(ROW.owner)
    with begin() as connection:
        since = connection.scalar(oldest)
        mean = connection.scalar(mean_wait)
        by_kind = connection.execute(jobs)
        by_owner = connection.execute(owners)
        return QueueCounts(
            jobs={(row.kind, row.state): row.n for row in by_kind},
            lost=connection.scalar(lost) or 0,
            longest_wait=0.0 if since is None else max(0.0, now - since),
            mean_wait=max(0.0, float(mean or 0.0)),
            by_workspace={row.owner: row.n for row in by_owner},
        )


def live_by_slot() -> dict[str, int]:
    """How many jobs wait or run, by slot; a slot without jobs is left out. Raises UnreachableError."""
    slots = sa.select(ROW.slot, sa.func.count().label("n")).where(IS_LIVE).group_by(ROW.slot)
    with begin() as connection:
        found = connection.execute(slots)
        return {row.slot: row.n for row in found}
