"""A process of rank 1 or higher in distributed training: takes its share of each update.

Everything but the dataset comes from rank 0, so that it may run on a host with other files; it writes nothing that
stays.
"""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Generator
from pathlib import Path

from s2s import faults
from s2s.config import UserError
from s2s.data import load_pairs_for_training
from s2s.jobs import kept_pairs
from s2s.jobs.training.loop import teaching
from s2s.runs import RunFolder
from s2s.training import Several, Trainer, prepare

# The files of a run that every process needs.
SHARED = (
    "recipe.json",
    "tokenizer.json",
    "src.tokenizer.json",
    "tgt.tokenizer.json",
    kept_pairs.FILE,
)


def shared_files(folder: RunFolder) -> dict[str, bytes]:
    """The files of a run that rank 0 hands to other ranks, by name."""
    paths = [folder.path / name for name in SHARED]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


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
