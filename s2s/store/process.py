"""Connects a process with the store for as long as it lives: an app, a worker, or the process of a job."""

from __future__ import annotations

import contextlib
import importlib
import logging
import time
from collections.abc import Iterator

from filelock import Timeout

from s2s import settings, synced
from s2s.config import UserError
from s2s.store.keeper import PATIENCE, Keeper
from s2s.store.objects import Objects
from s2s.store.replica import HeldJob, Replica

FORMER = 10.0  # seconds in which a process that has lost the job ends itself

_following: list[Keeper] = []  # at most one


@contextlib.contextmanager
def following() -> Iterator[None]:
    """An app or a worker: pushes what it writes and follows what others write. Nothing without a store.

    Raises UserError where the settings for it are wrong.
    """
    keeper = _keeper(None, follows=True)
    if keeper is None:
        yield
        return
    with contextlib.suppress(UserError):  # the database is away: the thread tries again
        keeper.catch_up()
    synced.register(keeper)
    _following[:] = [keeper]
    keeper.start()
    try:
        yield
    finally:
        keeper.close()
        _following.clear()
        synced.register(None)


@contextlib.contextmanager
def working(job: str, worker: str, run: str) -> Iterator[None]:
    """The process of a job: begins with what others have written, pushes what it writes, and all of it at the end.

    A store that is away for a minute delays the end; after that the machine's worker pushes when it is back.
    """
    keeper = _keeper(HeldJob(job, worker, run), follows=False)
    if keeper is None:
        yield
        return
    try:
        lock = keeper.replica.work_lock(run).acquire(timeout=FORMER)
    except Timeout as error:
        raise UserError(
            f"Another process of this machine works on `{run}`; wait until it ends, then resume."
        ) from error
    with lock:
        _begin(keeper, run)
        synced.register(keeper)
        keeper.start()
        try:
            yield
        finally:
            keeper.end_work(run)
            keeper.close(PATIENCE)
            synced.register(None)


def _begin(keeper: Keeper, run: str) -> None:
    """With the newest of everything; what is here may be enough where the store stays away."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return keeper.begin_work(run)
        except UserError as error:
            if time.monotonic() > until:
                logging.getLogger(__name__).warning("%s", error)
                return None
            time.sleep(1.0)


def warm() -> None:
    """Import what the store needs, before processes are forked from this one. Opens no connection."""
    if settings.store_url().startswith("s3:"):
        with contextlib.suppress(ImportError):  # which `working` says
            importlib.import_module("s3fs")


def why_not_ready() -> str:
    """What is wrong between this process and the store, a sentence; "" where nothing is, or there is no store."""
    try:
        if settings.store_url() and not _following:
            _keeper(None, follows=True)  # raises why it could not begin
    except UserError as error:
        return str(error)
    return next((keeper.trouble for keeper in _following), "")


def _keeper(job: HeldJob | None, *, follows: bool) -> Keeper | None:
    url = settings.store_url()
    if not url:
        return None
    return Keeper(Replica(settings.home(), Objects(url), job), follows=follows)
