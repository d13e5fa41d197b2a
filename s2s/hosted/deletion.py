"""Deletes what a workspace has, at once and permanently: files, jobs, links, keys."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from s2s import lessons, settings
from s2s.config import UserError, asker, shortened
from s2s.data import is_reading
from s2s.files import TRASH, stored
from s2s.files.stored import Item
from s2s.hosted import exports, rows
from s2s.library import sharing
from s2s.links import short as short_links
from s2s.processes import queue
from s2s.runs import is_training

PATIENCE = 10.0  # seconds for its jobs to end; their processes look twice a second whether they are still wanted
POLL = 0.1
LEASH = 1.5  # seconds within which a process without a job has ended itself
GONE = ".gone-"


def delete_workspace(
    workspace: str, *, sleep: Callable[[float], None] = time.sleep
) -> stored.Usage:
    """Deletes everything of a workspace; returns how much that was. Its jobs are ended first.

    The files of the database may hold something of it until `queue.is_erased(queue.last_deletion())`.
    May be called again where it was interrupted. An operator acts as the workspace (`asker.acting_as`). Raises
    UserError where something cannot be deleted, DeniedError for another's workspace.
    """
    is_visitors = stored.ID.fullmatch(workspace)
    if not is_visitors or workspace in (asker.LOCAL, asker.EVERYBODY):
        raise UserError(
            f"`{shortened(workspace)}` is not the workspace of a visitor and cannot be deleted; name another."
        )
    rows.require("delete", workspace)
    used = stored.usage(workspace)
    jobs = delete_jobs(workspace)
    wait_for_jobs(jobs, stored.items(workspace), sleep)
    items = stored.items(workspace)
    for item in items:
        delete_item(item)
    if any(item.kind in (stored.UPLOAD, stored.DATASET) for item in items):
        wait_for_readers(workspace, sleep)
    for item in items:  # what a process wrote there before it noticed
        shutil.rmtree(item.folder, ignore_errors=True)
    exports.delete_exports(workspace)
    short_links.delete_of(workspace)
    lessons.delete_progress(workspace)
    lessons.delete_lessons(workspace)
    lessons.delete_classes(workspace)
    rows.delete(workspace)
    with contextlib.suppress(UserError):  # what is left is erased later
        queue.erase()
    return used


def delete_jobs(workspace: str, run: str | None = None) -> list[queue.Job]:
    """Takes the jobs of a workspace, all or those of one run or evaluation, out of the queue, with their logs.

    A process that works on one then ends itself.
    """
    found = [job for job in queue.jobs(workspace, limit=100_000) if run in (None, job.run)]
    for name in {job.run for job in found}:
        queue.delete_jobs(name, owner=workspace)
    return found


def wait_for_jobs(
    jobs: Iterable[queue.Job], items: Iterable[Item], sleep: Callable[[float], None] = time.sleep
) -> None:
    """Wait until the processes that worked on these items have ended, or for a limited time."""
    if not any(job.state == "running" and job.is_live() for job in jobs):
        return
    sleep(LEASH)
    folders = [item.folder for item in items if item.kind is stored.RUN]
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and any(map(is_training, folders)):
        sleep(POLL)


def wait_for_readers(workspace: str, sleep: Callable[[float], None] = time.sleep) -> None:
    """Wait until the process that reads a dataset of the workspace has ended, or for a limited time."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and is_reading(workspace):
        sleep(POLL)


def delete_item(item: Item) -> None:
    """Deletes one stored thing with its files and how it was shared; nobody sees a half of it."""
    gone = item.folder.with_name(f"{GONE}{secrets.token_hex(8)}")
    try:
        os.replace(item.folder, gone)
        shutil.rmtree(gone)
    except FileNotFoundError:  # somebody else has deleted it
        pass
    except OSError as error:
        raise UserError(
            f"The {item.kind.name} `{item.id}` cannot be deleted ({error.strerror or error}); try again later."
        ) from error
    sharing.forget(item.kind.name, item.id.removeprefix(TRASH))


def delete_leftovers(now: float) -> None:
    """Delete what interrupted deletions, interrupted imports and late processes have left."""
    for kind in stored.KINDS:
        for folder in (kind.parent).glob("*"):
            is_left = folder.name.startswith(GONE)
            is_headless = kind is stored.RUN and not (folder / kind.about).exists()
            if (is_left or is_headless) and now - _changed(folder) > rows.DAY:
                shutil.rmtree(folder, ignore_errors=True)
    for folder in (settings.home() / "hub").glob("*"):  # of an import whose process was killed
        if now - _changed(folder) > rows.DAY:
            shutil.rmtree(folder, ignore_errors=True)


def _changed(folder: Path) -> float:
    try:
        return max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
    except OSError:  # deleted meanwhile, or no folder
        return time.time()
