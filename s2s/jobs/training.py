"""A run from its recipe to its last checkpoint: the loop's events become files."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from s2s.config import Recipe, UserError, override
from s2s.data import TrainingPairs, absolute, load_pairs_for_training
from s2s.model.weights import saved_steps
from s2s.runs import RunFolder
from s2s.settings import OWNER
from s2s.train import Event, Sample, Saved, Step, Trainer, TrainingData, Validation, prepare
from s2s.train.machine import settle


@dataclass(frozen=True)
class Asked:
    """A run as it was asked for."""

    recipe: Recipe
    source: str
    valid: str | None = None
    preset: str = ""
    name: str = ""
    owner: str = OWNER


@dataclass(frozen=True)
class Started:
    """A run that is ready to train: its folder, its data and sentences for people."""

    folder: RunFolder
    recipe: Recipe
    data: TrainingData
    notes: tuple[str, ...]
    is_resumed: bool = False


def start(asked: Asked, path: Path) -> Started:
    """Read the data, fit the tokenizers, check memory, write the folder. Nothing is written when the input is bad."""
    folder = RunFolder(path)
    if saved_steps(folder.checkpoints):
        raise UserError(f"`{path}` already holds a trained run; add `--resume` to go on with it, or choose another `--out`.")
    recipe = settle(asked.recipe)
    pairs = load_pairs_for_training(asked.source, asked.valid, recipe.train.seed)
    data = prepare(recipe, pairs.train, pairs.valid)
    notes = _notes(pairs, data, recipe)
    with _lock(folder):  # a run that is being trained there, and has no checkpoint yet, keeps its files
        folder.create(recipe, _about(asked, pairs, data, notes), (data.src_tokenizer, data.tgt_tokenizer))
    return Started(folder, recipe, data, notes)


def resume(path: Path, *, steps: int | None = None, source: str | None = None, valid: str | None = None) -> Started:
    """Open a run to go on with it, perhaps for more steps.

    Its source (or the given one, where the data has moved) must still hold the pairs that the run was started with.
    """
    folder = RunFolder(path)
    about = folder.about()
    recipe = settle(override(folder.recipe(), {} if steps is None else {"train.steps": steps}))
    reached = max(saved_steps(folder.checkpoints), default=0)
    if reached >= recipe.train.steps:
        raise UserError(f"This run has reached step {reached} of {recipe.train.steps}; set train.steps to more than {reached} to go on.")
    pairs = load_pairs_for_training(source or about["source"], valid or about["valid"], recipe.train.seed)
    if [pairs.train.hash, pairs.valid.hash] != [about["data"]["train_hash"], about["data"]["valid_hash"]]:
        raise UserError(f"`{pairs.train.spec}` has not the pairs this run was started with; bring the old data back, or start a new run.")
    data = prepare(recipe, pairs.train, pairs.valid, folder.tokenizers())
    return Started(folder, recipe, data, tuple(about["data"]["notes"]), is_resumed=True)


@contextlib.contextmanager
def _lock(folder: RunFolder) -> Iterator[None]:
    """One process a run: raises UserError while another one trains in the folder."""
    folder.path.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder.path / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise UserError(f"Another process is training in `{folder.path}`; wait for it, or choose another `--out`.") from error
    with lock:
        yield


def run(started: Started) -> Generator[Event, None, None]:
    """Train, writing each event to the folder before it is passed on.

    Closing the iterator saves where training stands, so that it can be resumed from there.
    """
    folder = started.folder
    with _lock(folder):
        trainer = Trainer(started.recipe, started.data, folder.checkpoints)
        if started.is_resumed:
            trainer.resume()
            folder.cut_back(trainer.progress.step)
            folder.write_about({**folder.about(), "recipe": started.recipe.to_json()})
        yield from _recorded(folder, trainer)


def _recorded(folder: RunFolder, trainer: Trainer) -> Iterator[Event]:
    def report(state: str) -> None:
        progress, steps = trainer.progress, trainer.recipe.train.steps
        folder.set_status(state, step=progress.step, steps=steps, best_step=progress.best_step)

    report("running")
    state = "failed"
    try:
        for event in trainer.run():
            _record(folder, event)
            if isinstance(event, Saved):
                report("running")
            yield event
        state = "done"
    except GeneratorExit:
        list(trainer.save())
        state = "stopped"
        raise
    finally:
        report(state)


def _record(folder: RunFolder, event: Event) -> None:
    if isinstance(event, Step):
        folder.log("metrics", {"kind": "train", **asdict(event)})
    elif isinstance(event, Validation):
        folder.log("metrics", {"kind": "valid", **asdict(event)})
    elif isinstance(event, Sample):
        folder.log("samples", asdict(event))


def _notes(pairs: TrainingPairs, data: TrainingData, recipe: Recipe) -> tuple[str, ...]:
    """What happened to the data, a sentence each."""
    notes = [*pairs.train.notes, pairs.note, *(note for note in pairs.valid.notes if note not in pairs.train.notes)]
    for side, encoded in (("training", data.train), ("validation", data.valid)):
        if encoded.n_dropped:
            notes.append(f"{encoded.n_dropped:,} {side} pairs are longer than {recipe.data.max_length} tokens and were dropped.")
    return tuple(notes)


def _about(asked: Asked, pairs: TrainingPairs, data: TrainingData, notes: tuple[str, ...]) -> dict[str, Any]:
    return {
        "name": asked.name or asked.preset or asked.source,
        "owner": asked.owner,
        "preset": asked.preset,
        "source": absolute(asked.source),
        "valid": asked.valid and absolute(asked.valid),
        "data": {
            "train_hash": pairs.train.hash,
            "valid_hash": pairs.valid.hash,
            "n_train": len(data.train),
            "n_valid": len(data.valid),
            "n_dropped": data.train.n_dropped + data.valid.n_dropped,
            "notes": list(notes),
        },
        "versions": {"python": platform.python_version(), "torch": version("torch"), "tokenizers": version("tokenizers")},
        "machine": platform.machine(),
    }
