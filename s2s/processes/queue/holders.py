"""Whose a job is, asked within the transaction that depends on the answer."""

from __future__ import annotations

import sqlalchemy as sa

from s2s.files.database import JOBS

ROW = JOBS.c


def is_held(connection: sa.Connection, job: str, worker: str) -> bool:
    """Whether a worker has that job; nobody else can take it before the transaction ends."""
    is_its = sa.and_(ROW.id == job, ROW.worker == worker, ROW.state == "running")
    held = sa.select(ROW.id).where(is_its).with_for_update()  # not in SQLite
    return connection.execute(held).first() is not None


def is_wanted(connection: sa.Connection, run: str) -> bool:
    """Whether a job of that run waits or runs."""
    is_live = ROW.state.in_(("queued", "running"))
    wanted = sa.select(ROW.id).where(ROW.run == run, is_live).limit(1)
    return connection.execute(wanted).first() is not None
