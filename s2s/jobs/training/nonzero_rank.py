"""A process of rank 1 or higher in distributed training: takes its share of each update.

Everything but the dataset comes from rank 0, so that it may run on a host with other files; it writes nothing that
stays.
"""

from __future__ import annotations

import contextlib
import signal
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

from s2s import faults, settings
from s2s.config import UserError
from s2s.data import load_pairs_for_training
from s2s.jobs import kept_pairs, queue
from s2s.jobs.queue.context import JobContext
from s2s.jobs.training.loop import teaching
from s2s.runs import RunFolder
from s2s.train import (
    GoneError,
    Liveness,
    Meeting,
    Rank,
    Several,
    Trainer,
    connected,
    prepare,
    together,
)

POLL = 0.2  # seconds between two looks whether all are there


def work(job: queue.Job, context: JobContext) -> Generator[None, None, None]:
    """Take part in the training whose rank 0 has submitted this job, unless that attempt is over."""
    spec = job.spec
    training = queue.find(spec["training"])
    if training is None or (training.state, training.worker) != ("running", spec["attempt"]):
        return
    rank = Rank(**spec["rank"])
    meeting = connected(spec["attempt"], spec["host"], spec["port"])
    with Liveness(meeting.store, rank.number, rank.size, settings.lease_seconds()) as liveness:
        if not (yield from _started(meeting)):
            return
        with together(meeting.store, rank, liveness) as group, _reporting(meeting):
            yield from follow_first_rank(group, None, None, is_resumed=spec["is_resumed"])


def _started(meeting: Meeting) -> Generator[None, None, bool]:
    """Wait until all are there; False where rank 0 has ended before."""
    try:
        while not meeting.has_started():
            yield
            time.sleep(POLL)
    except RuntimeError:
        return False
    return True


@contextlib.contextmanager
def _reporting(meeting: Meeting) -> Generator[None, None, None]:
    """Tells rank 0 why this process ends. Where another one has ended before it, there is nothing to tell."""
    try:
        yield
    except GoneError:
        return
    except UserError as error:
        meeting.report(str(error))
        raise


def follow_first_rank(
    group: Several, source: str | None, valid: str | None, *, is_resumed: bool
) -> Generator[None, None, None]:
    """Train from when rank 0 has written the run's folder until it ends; without a source, the run's own is read.

    Yields between updates; closing the generator asks all to stop, and returns when they do.
    """
    if group.hear() is None:
        return
    with tempfile.TemporaryDirectory(prefix="s2s-") as path:
        for name, content in group.received().items():
            (Path(path) / name).write_bytes(content)
        yield from _follow(RunFolder(path), group, source, valid, is_resumed=is_resumed)


def _follow(
    folder: RunFolder, group: Several, source: str | None, valid: str | None, *, is_resumed: bool
) -> Generator[None, None, None]:
    about = folder.about()
    recipe = folder.recipe()
    seed = recipe.train.seed
    pairs = kept_pairs.kept(folder, about) or load_pairs_for_training(
        kept_pairs.moved(source, about["source"], seed),
        kept_pairs.moved(valid, about.get("valid"), seed),
        seed,
        recipe.data,
    )
    if pairs.train.hash != about["data"]["train_hash"]:
        raise UserError(
            f"`{pairs.train.spec}` has other pairs here than on the first process; give all processes the same."
        )
    data = prepare(recipe, pairs.train, pairs.valid, folder.tokenizers())
    fault = recipe.train.fault
    trainer = Trainer(recipe, data, folder.checkpoints, group=group, teach=teaching(fault))
    if is_resumed:
        trainer.resume()
    group.spread(trainer.model.parameters())
    with faults.active(trainer.model, fault, "training"):
        while (rate := group.hear()) is not None:
            trainer.update(rate)
            if not group.wanted:
                try:
                    yield
                except GeneratorExit:
                    group.wanted = [signal.SIGTERM]
