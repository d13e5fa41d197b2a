"""How long a waiting job will wait, from what is known of the jobs before it."""

from __future__ import annotations

import heapq
import math
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from s2s.files.database import JOBS, begin
from s2s.processes.queue.server_state import read_state
from s2s.processes.queue.table import AT_ONCE
from s2s.processes.queue.turns import in_turn
from s2s.settings import limits

SECONDS = "seconds"  # of a job's spec: how long it will work alone on a machine, by a forecast
LATELY = 3600.0  # seconds for which jobs that are done tell how long one takes
OVERDUE = 0.1  # of its time, which a job is expected to take longer than it was

ROW = JOBS.c


@dataclass(frozen=True)
class Wait:
    """How many jobs are before a waiting one, and how long it will wait."""

    before: int = 0  # jobs of its slot that start first
    seconds: float | None = None  # until it starts, about; None where nothing is known


def wait(job: str, *, now: float | None = None) -> Wait:
    """How long a waiting job will wait; for any other job, nothing is before it."""
    now = time.time() if now is None else now
    with begin() as connection:
        is_it = sa.and_(ROW.id == job, ROW.state == "queued")
        slot = connection.execute(sa.select(ROW.slot).where(is_it)).scalar()
        order = [] if slot is None else in_turn(connection, str(slot))
        if job not in order:
            return Wait()
        before = order[: order.index(job)]
        if read_state(connection).is_paused:
            return Wait(len(before))
        return Wait(len(before), _seconds(connection, str(slot), before, now))


def backlog(slot: str, *, now: float | None = None) -> float | None:
    """Seconds until a job that is submitted now would start, at most; None where nothing is known."""
    now = time.time() if now is None else now
    with begin() as connection:
        if read_state(connection).is_paused:
            return None
        return _seconds(connection, slot, in_turn(connection, slot), now)


def _seconds(connection: sa.Connection, slot: str, before: list[str], now: float) -> float | None:
    seconds = ROW.spec[SECONDS].as_float()
    in_slot = ROW.slot == slot
    columns = sa.select(ROW.id, ROW.state, ROW.started, seconds.label(SECONDS))
    live = connection.execute(columns.where(in_slot, ROW.state.in_(("queued", "running")))).all()
    pace = _Pace.of(connection, slot, now)
    running = [row for row in live if row.state == "running"]
    n_at_once = max(AT_ONCE[slot], len(running))
    ends = [0.0] * (n_at_once - len(running))
    for row in running:
        takes = pace.seconds(row.seconds)
        ends.append(max(takes - (now - row.started), OVERDUE * takes))
    heapq.heapify(ends)
    works: Mapping[str, float | None] = {row.id: row.seconds for row in live}
    for other in before:
        heapq.heapreplace(ends, ends[0] + pace.seconds(works.get(other)))
    return None if math.isinf(ends[0]) else ends[0]


@dataclass(frozen=True)
class _Pace:
    """How long jobs of a slot take, beside each other: `ratio` to their forecasts, and on average."""

    ratio: float
    mean: float  # infinite where none is done

    def seconds(self, forecast: float | None) -> float:
        """Expected seconds of one job, whose time is limited on a server; infinite where nothing is known."""
        if forecast is None:
            return self.mean
        most = limits().minutes
        return min(self.ratio * forecast, math.inf if most is None else 60.0 * most)

    @classmethod
    def of(cls, connection: sa.Connection, slot: str, now: float) -> _Pace:
        """Computed from jobs done lately; before the first, jobs that run at once share the processor's cores."""
        seconds = ROW.spec[SECONDS].as_float()
        is_done = sa.and_(ROW.slot == slot, ROW.state == "done", ROW.finished > now - LATELY)
        took = connection.execute(
            sa.select(ROW.finished - ROW.started, seconds).where(is_done, ROW.started.is_not(None))
        ).all()
        known = [(worked, forecast) for worked, forecast in took if forecast]
        forecasts = sum(forecast for _, forecast in known)
        alone = max(1.0, AT_ONCE[slot] / (os.cpu_count() or 1))
        return cls(
            sum(worked for worked, _ in known) / forecasts if known else alone,
            sum(worked for worked, _ in took) / len(took) if took else math.inf,
        )
