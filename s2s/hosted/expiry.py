"""What visitors of a hosted server store expires: so many days after it was last changed, or kept by its owner.

Uploads that were not saved are deleted after a day already; what the operator stores never expires.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import NamedTuple

from s2s import lessons, settings
from s2s.config import UserError, asker
from s2s.files import stored
from s2s.files.stored import Item
from s2s.hosted import deletion, exports, rows
from s2s.links import short as short_links
from s2s.processes import queue
from s2s.runs import is_training

WARNING_DAYS = 3  # before something expires, every page says so


class Expiring(NamedTuple):
    """Something stored, and when it is deleted, in seconds since the epoch; None is never."""

    item: Item
    when: float | None


def expiring(workspace: str) -> list[Expiring]:
    """What a workspace has stored and when each thing expires, the first to go first.

    Raises UserError where the database is away.
    """
    rows.require("list", workspace)
    items = [item for item in stored.items(workspace) if not item.is_deleted]
    kept = rows.kept() if items else {}
    found = [Expiring(item, _when(item, kept)) for item in items]
    return sorted(found, key=lambda each: (each.when is None, each.when))


def expiring_soon(*, now: float | None = None) -> dict[str, list[Expiring]]:
    """What expires within three days, by workspace, the first to go first; no uploads.

    Raises UserError where the database is away.
    """
    until = (time.time() if now is None else now) + WARNING_DAYS * rows.DAY
    kept = rows.kept()
    found = [
        Expiring(item, when)
        for item in stored.items()
        if item.kind is not stored.UPLOAD
        and not item.is_deleted
        and (when := _when(item, kept))
        and when < until
    ]
    by_workspace: dict[str, list[Expiring]] = {}
    for each in sorted(found, key=lambda each: each.when or 0.0):
        by_workspace.setdefault(each.item.owner, []).append(each)
    return by_workspace


def delete_expired(*, now: float | None = None) -> int:
    """Deletes what has expired, never what a job works on, and what deletions and exports left.

    Returns how many things. Raises UserError where the database is away: nothing is deleted then.
    """
    now = time.time() if now is None else now
    if not asker.is_hosted():
        return 0
    kept = rows.kept()
    expired = [
        item
        for item in stored.items()
        if item.kind is not stored.UPLOAD
        and (when := _when(item, kept)) is not None
        and when < now
        and not is_at_work(item)
    ]
    for item in expired:
        try:
            deletion.delete_item(item)
            deletion.delete_jobs(item.owner, item.id)
        except UserError as error:  # the others can still be deleted
            logging.getLogger(__name__).warning("%s", error)
    short_links.delete_expired(now)
    lessons.delete_expired_progress(now, _lately(kept, now))
    lessons.delete_expired_lessons(now)
    lessons.delete_expired_classes(now)
    exports.delete_old_exports(now)
    deletion.delete_leftovers(now)
    return len(expired)


def _lately(kept: Mapping[str, float], now: float) -> list[str]:
    days = settings.expire_days() or 0
    return [workspace for workspace, when in kept.items() if when > now - days * rows.DAY]


def _when(item: Item, kept: Mapping[str, float]) -> float | None:
    days = settings.expire_days()
    if days is None or item.owner in (asker.LOCAL, asker.EVERYBODY):
        return None
    if item.kind is stored.UPLOAD:
        return item.changed + rows.DAY
    return max(item.changed, kept.get(item.owner, 0.0)) + days * rows.DAY


def is_at_work(item: Item) -> bool:
    """Whether a job for this stored thing waits, or works on it."""
    if item.kind is stored.DATASET:
        return False
    job = queue.latest(item.id)
    is_queued = job is not None and job.state in ("queued", "running")  # also of a dead worker
    return is_queued or (item.kind is stored.RUN and is_training(item.folder))
