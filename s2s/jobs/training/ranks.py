"""Rank 0 of a training in several processes: gathers the others through the queue, and ends the attempt with them."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

from s2s import settings
from s2s.config import Recipe, UserError
from s2s.jobs import kept_pairs, queue
from s2s.jobs.queue.context import HandBack, JobContext
from s2s.jobs.queue.database import UnreachableError
from s2s.jobs.training.preparation import PreparedRun
from s2s.runs import RunFolder
from s2s.train import (
    LOOPBACK,
    Event,
    GoneError,
    Liveness,
    Meeting,
    Rank,
    Several,
    cores,
    n_gpus,
    opened,
    together,
)

JOINING = 300.0  # seconds in which the other processes must be there
POLL = 0.2  # seconds between two looks who is there
FAILURE = (
    "Another process of this training ended three times without a checkpoint in between; see the log of its worker,"
    " then resume it, or start it again with train.processes=1."
)

SHARED = (
    "recipe.json",
    "tokenizer.json",
    "src.tokenizer.json",
    "tgt.tokenizer.json",
    kept_pairs.FILE,
)

Events = Generator[Event | None, None, None]


def shared_files(folder: RunFolder) -> dict[str, bytes]:
    """The files of a run that every process needs, by name."""
    paths = [folder.path / name for name in SHARED]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def with_ranks(
    prepared: PreparedRun,
    job: queue.Job,
    context: JobContext,
    train: Callable[[PreparedRun], Events],
) -> Events:
    """The events of `train`, in a group with the processes of other workers.

    Raises HandBack where one of them has ended, or is asked to; UserError where too few come.
    """
    size = prepared.recipe.train.processes
    is_local = _has_room(job, prepared.recipe)
    meeting = opened(job.worker, is_local=is_local)
    rank = Rank(0, size, 0, size if is_local else 1)
    give_up = _giving_up(job)
    with (
        _ranks_of(job, _specs(prepared, job, meeting.port, is_local=is_local), is_local=is_local),
        Liveness(meeting.store, 0, size, settings.lease_seconds(), give_up) as liveness,
    ):
        began = time.monotonic()
        for _ in _gathering(meeting, size, context):
            if queue.is_older_waiting(job) or is_local != _has_room(job, prepared.recipe):
                raise HandBack
            yield None
        since = prepared.since and prepared.since + time.monotonic() - began
        with _ending(meeting), together(meeting.store, rank, liveness) as group:
            yield from _trained(replace(prepared, group=group, since=since), group, train)


def _trained(
    prepared: PreparedRun, group: Several, train: Callable[[PreparedRun], Events]
) -> Events:
    group.tell(0.0)
    group.hand_over(shared_files(prepared.folder))
    with contextlib.closing(train(prepared)) as events:
        for event in events:
            yield event
            if group.is_stopping:  # the worker of another one ends
                break
        else:
            return
    raise HandBack


def _has_room(job: queue.Job, recipe: Recipe) -> bool:
    """Whether all processes work on this machine: no other worker is there, and each has a core or a GPU of its own."""
    slots = settings.worker_slots()
    if slots is not None and queue.RANK not in slots:
        return False
    most = n_gpus() if recipe.train.device == "cuda" else cores()
    others = [one for one in queue.seen_workers() if one.is_alive() and one.host != job.host]
    return not others and recipe.train.processes <= most


def _specs(
    prepared: PreparedRun, job: queue.Job, port: int, *, is_local: bool
) -> list[dict[str, Any]]:
    """Of the jobs of all ranks but this one."""
    size = prepared.recipe.train.processes
    threads = prepared.recipe.train.threads
    shared = {
        "training": job.id,
        "attempt": job.worker,
        "host": LOOPBACK if is_local else settings.rank_host(),
        "port": port,
        "is_resumed": prepared.is_resumed,
        "threads": max(1, threads // size) if is_local else threads,
    }
    ranks = [
        Rank(number, size, *((number, size) if is_local else (0, 1))) for number in range(1, size)
    ]
    return [{**shared, "rank": vars(rank)} for rank in ranks]


@contextlib.contextmanager
def _ranks_of(
    job: queue.Job, specs: list[dict[str, Any]], *, is_local: bool
) -> Generator[None, None, None]:
    """Their jobs, in the queue for as long as this attempt lasts."""
    queue.submit_ranks(job, specs, host=job.host if is_local else "")
    try:
        yield
    finally:
        with contextlib.suppress(UnreachableError):  # the next attempt deletes them
            queue.delete_ranks(job.run)


def _gathering(meeting: Meeting, size: int, context: JobContext) -> Generator[None, None, None]:
    """Until all are there. Raises UserError where they do not come, or one has ended with an error."""
    until = time.monotonic() + JOINING
    known = 0
    while (n := meeting.n_joined(size) + 1) < size:
        if n != known:
            missing = size - n
            context.tell(f"Waiting for {missing} more worker{'s' * (missing > 1)}.")
        known = n
        if error := meeting.error():
            raise UserError(error)
        if time.monotonic() > until:
            raise UserError(
                f"`train.processes` is {size}, and {n} of them {'was' if n == 1 else 'were'} there after"
                f" {JOINING / 60:.0f} minutes; start more workers, or set train.processes=1."
            )
        yield
        time.sleep(POLL)
    meeting.start()


@contextlib.contextmanager
def _ending(meeting: Meeting) -> Generator[None, None, None]:
    """What another process said when it ended is the training's error; if it said nothing, another attempt begins."""
    try:
        yield
    except GoneError as error:
        if said := meeting.error():
            raise UserError(said) from error
        raise HandBack(FAILURE) from error


def _giving_up(job: queue.Job) -> Callable[[int], None]:
    """Ends this process where another one is silent: nobody can stop a process that waits for it."""

    def end(code: int) -> None:
        with contextlib.suppress(UnreachableError):  # then its lease runs out
            queue.hand_back(job.id, job.worker, FAILURE)
        os._exit(code)

    return end
