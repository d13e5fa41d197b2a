"""Runs go into the queue, and a worker starts where none is at work."""

from __future__ import annotations

from dataclasses import replace

from s2s.config import UserError, asker
from s2s.jobs import sweep, training
from s2s.processes import worker
from s2s.runs import LONGEST_TAG, clean_name, free_name
from s2s.ui.kit import cached, forms


def queue_runs(orders: list[training.RunRequest]) -> list[str]:
    """Queue runs; returns their ids. Taken names get a number; then call `cached.refresh_runs`.

    Raises UserError where one is refused; then none is queued. Nothing interrupts it once they are queued.
    """
    orders = _numbered(orders)
    ids = sweep.submit(orders, [cached.planned_forecast(order) for order in orders])
    worker.ensure()
    return ids


def _numbered(orders: list[training.RunRequest]) -> list[training.RunRequest]:
    taken = {row.name for row in cached.own_runs()}
    named = []
    for order in orders:
        named.append(replace(order, name=free_name(order.title, taken)))
        taken.add(named[-1].name)
    return named


def free_group(name: str, prefix: str) -> str:
    """A free name for runs that are queued together: with the next number where a tag with this prefix has the name."""
    taken = {
        tag.removeprefix(prefix)
        for row in cached.own_runs()
        for tag in row.tags
        if tag.startswith(prefix)
    }
    return free_name(clean_name(name), taken, LONGEST_TAG - len(prefix))


def queue_resume(run_id: str, steps: int | None = None, lr: float | None = None) -> None:
    """Resume a run, perhaps to another last step or with another learning rate.

    Raises UserError where it is refused.
    """
    training.submit_resume(run_id, asker.current(), steps, lr)
    worker.ensure()


def ensure_worker() -> None:
    """Start a worker if none is at work (it may have ended since something was queued); shows why none can be
    started.
    """
    try:
        worker.ensure()
    except UserError as wrong:
        forms.show_error(wrong)
