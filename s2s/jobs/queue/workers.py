"""The workers of all machines, as they report themselves to the database."""

from __future__ import annotations

import time
from dataclasses import dataclass

import sqlalchemy as sa

from s2s.jobs.queue.database import WORKERS, alone, begin

REPORT = 5.0  # seconds between two reports of a worker
ALIVE = 20.0  # seconds after its last report for which a worker counts as alive
FORGOTTEN = 3600.0  # seconds after which a worker that reports no more is no longer listed

ROW = WORKERS.c


@dataclass(frozen=True)
class SeenWorker:
    """A worker's last report; times are seconds since the epoch."""

    host: str
    started: float
    seen: float

    def is_alive(self, now: float | None = None) -> bool:
        """Whether it has reported itself lately."""
        return self.seen + ALIVE >= (time.time() if now is None else now)


def report(host: str, started: float, *, now: float | None = None) -> None:
    """The worker of a machine says that it is alive; one of before is replaced."""
    now = time.time() if now is None else now
    with alone() as connection:
        gone = sa.or_(ROW.host == host, ROW.seen < now - FORGOTTEN)
        connection.execute(sa.delete(WORKERS).where(gone))
        connection.execute(sa.insert(WORKERS).values(host=host, started=started, seen=now))


def sign_off(host: str) -> None:
    """The worker of a machine ends."""
    with begin() as connection:
        connection.execute(sa.delete(WORKERS).where(ROW.host == host))


def seen_workers() -> list[SeenWorker]:
    """All that have reported themselves within an hour and have not signed off, by machine."""
    statement = sa.select(ROW.host, ROW.started, ROW.seen).order_by(ROW.host)
    with begin() as connection:
        return [SeenWorker(*row) for row in connection.execute(statement)]
