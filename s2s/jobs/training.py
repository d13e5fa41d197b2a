"""A run from its recipe to its last checkpoint, here or through the queue: the loop's events become files."""

from __future__ import annotations

import contextlib
import platform
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from s2s.config import Recipe, UserError, override
from s2s.data import TrainingPairs, absolute, load_pairs_for_training, splits
from s2s.jobs import queue
from s2s.model.weights import saved_steps
from s2s.runs import RunFolder
from s2s.runs.listing import FIGURES, LONGEST_NAME, clean_name, is_training, listed_one, runs_folder
from s2s.settings import OWNER, SHIPPED, new_id, worker_is_elsewhere
from s2s.tokenizers import advice
from s2s.train import Event, Sample, Saved, Step, Trainer, TrainingData, Validation, Warned, prepare
from s2s.train.machine import settle

LOCK_SECONDS = 2.0  # a screen that looks whether a run trains holds the lock for an instant

Tell = Callable[[str], None]  # takes a sentence on what is being done now


class TakenError(UserError):
    """There is a run in the folder already, trained or being trained."""


class NothingLeftError(UserError):
    """The run has reached its last step."""


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


def _silent(note: str) -> None:
    """Nobody listens."""


Stages = Generator[None, None, Started]  # between two of them one may stop


def _result(stages: Stages) -> Started:
    """All of them at once."""
    while True:
        try:
            next(stages)
        except StopIteration as end:
            started: Started = end.value
            return started


def start(asked: Asked, path: Path, tell: Tell = _silent) -> Started:
    """Read the data, fit the tokenizers, check memory, write the folder. Nothing is written when the input is bad."""
    return _result(_starting(asked, path, tell))


def _starting(asked: Asked, path: Path, tell: Tell) -> Stages:
    folder = RunFolder(path)
    if saved_steps(folder.checkpoints):
        raise TakenError(f"`{folder.id}` already holds a trained run; go on with that one, or start another.")
    recipe = settle(asked.recipe)
    tell("Reading the text.")
    yield
    pairs = load_pairs_for_training(asked.source, asked.valid, recipe.train.seed, recipe.data)
    tell("Learning the vocabulary.")
    yield
    data = prepare(recipe, pairs.train, pairs.valid)
    yield
    notes = _notes(pairs, data, recipe)
    with _lock(folder):  # a run that is being trained there, and has no checkpoint yet, keeps its files
        folder.create(recipe, _about(asked, pairs, data, notes), (data.src_tokenizer, data.tgt_tokenizer))
    return Started(folder, recipe, data, notes)


def resume(
    path: Path, *, steps: int | None = None, source: str | None = None, valid: str | None = None, tell: Tell = _silent
) -> Started:
    """Open a run to go on with it, perhaps for more steps.

    Its source (or the given one, where the data has moved) must still hold the pairs that the run was started with.
    """
    return _result(_resuming(path, steps, (source, valid), tell))


def _resuming(path: Path, steps: int | None, moved: tuple[str | None, str | None], tell: Tell) -> Stages:
    folder = RunFolder(path)
    about = folder.about()
    source, valid = moved
    recipe = settle(override(folder.recipe(), {} if steps is None else {"train.steps": steps}))
    _check_there_is_more(folder, recipe)
    tell("Reading the text.")
    yield
    pairs = load_pairs_for_training(source or about["source"], valid or about["valid"], recipe.train.seed, recipe.data)
    if [pairs.train.hash, pairs.valid.hash] != [about["data"]["train_hash"], about["data"]["valid_hash"]]:
        raise UserError(f"`{pairs.train.spec}` has not the pairs this run was started with; bring the old data back, or start a new run.")
    yield
    data = prepare(recipe, pairs.train, pairs.valid, folder.tokenizers())
    yield
    return Started(folder, recipe, data, tuple(about["data"]["notes"]), is_resumed=True)


def _check_there_is_more(folder: RunFolder, recipe: Recipe) -> None:
    """Raises NothingLeftError where the run has reached the last step of the recipe."""
    reached = max(saved_steps(folder.checkpoints), default=0)
    if reached >= recipe.train.steps:
        raise NothingLeftError(f"This run has reached step {reached} of {recipe.train.steps}; ask for more than {reached} steps to go on.")


@contextlib.contextmanager
def _lock(folder: RunFolder) -> Iterator[None]:
    """One process a run: raises TakenError while another one trains in the folder."""
    folder.path.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder.lock_file)
    try:
        lock.acquire(timeout=LOCK_SECONDS)
    except Timeout as error:
        raise TakenError(f"Another process is training the run `{folder.id}`; wait for it, or stop it first.") from error
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
    accuracy = _accuracy_at(folder, trainer.progress.best_step) if trainer.progress.step else None

    def report(state: str) -> None:
        progress, steps = trainer.progress, trainer.recipe.train.steps
        best = {} if accuracy is None else {"best_loss": progress.best_loss, "token_accuracy": accuracy}
        folder.set_status(state, step=progress.step, steps=steps, best_step=progress.best_step, **best)

    report("running")
    state, resumed = "failed", trainer.progress.step
    try:
        for event in trainer.run():
            _record(folder, event, is_first=event.step == resumed + 1)
            if isinstance(event, Validation) and event.is_best:
                accuracy = event.token_accuracy
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


def _accuracy_at(folder: RunFolder, step: int) -> float | None:
    """What the validation at that step found; None before the first."""
    found = (line for line in folder.lines("metrics") if line.get("kind") == "valid" and line.get("step") == step)
    return next((line.get("token_accuracy") for line in found), None)


def _record(folder: RunFolder, event: Event, *, is_first: bool) -> None:
    """`first` marks the step with which training is taken up: the time between it and the line before was a pause."""
    stamp = {"time": round(time.time(), 3)}  # seconds since the epoch
    if isinstance(event, Step):
        folder.log("metrics", {"kind": "train", **asdict(event), **stamp} | ({"first": True} if is_first else {}))
    elif isinstance(event, Validation):
        folder.log("metrics", {"kind": "valid", **asdict(event), **stamp})
    elif isinstance(event, Sample):
        folder.log("samples", asdict(event))


def _notes(pairs: TrainingPairs, data: TrainingData, recipe: Recipe) -> tuple[str, ...]:
    """What happened to the data, a sentence each."""
    sides = ([getattr(pair, side) for pair in pairs.train.pairs] for side in ("src", "tgt"))
    warning = advice(recipe.tokenizer.kind, *sides)
    notes = [*pairs.train.notes, pairs.note, *(note for note in pairs.valid.notes if note not in pairs.train.notes)]
    notes += [warning] if warning else []
    for side, encoded in (("training", data.train), ("validation", data.valid)):
        if encoded.n_dropped:
            notes.append(f"{encoded.n_dropped:,} {side} pairs are longer than {recipe.data.max_length} tokens and were dropped.")
    return tuple(notes)


def _name(asked: Asked) -> str:
    return (clean_name(asked.name) or asked.preset or asked.source)[:LONGEST_NAME].rstrip()


def _about(asked: Asked, pairs: TrainingPairs, data: TrainingData, notes: tuple[str, ...]) -> dict[str, Any]:
    return {
        "name": _name(asked),
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


def submit(asked: Asked, *, express: bool = False) -> str:
    """Queue a run and return its id. Raises UserError for what can be known before the text is read.

    Device and threads are fixed here, one core being left to the dashboard; where the worker is on another machine, it fixes them.
    """
    for spec in filter(None, (asked.source, asked.valid)):
        splits(spec)
    recipe, run_id = asked.recipe, new_id()
    if not worker_is_elsewhere():
        recipe = settle(recipe)
        if not asked.recipe.train.threads:
            recipe = override(recipe, {"train.threads": max(1, recipe.train.threads - 1)})
    queue.submit("train", asked.owner, run_id, _spec(replace(asked, recipe=recipe)), express=express)
    return run_id


def submit_resume(run_id: str, owner: str, steps: int | None = None) -> None:
    """Queue a run to go on with, perhaps to more steps; one without a checkpoint starts again.

    Raises UserError where it is somebody else's, is finished, or is worked on.
    """
    folder, job = RunFolder(runs_folder() / run_id), queue.latest(run_id)
    if listed_one(run_id, owner):
        about = folder.about()
    elif job and job.owner == owner:
        about = dict(job.spec)
    else:
        shipped = " It ships with the program, without what training needs to go on." if (SHIPPED / run_id).is_dir() else ""
        raise UserError(f"There is no run `{run_id}` of yours to go on with; start a new one.{shipped}")
    if lacks := [key for key in ("source", "valid", "preset", "name") if key not in about]:
        raise UserError(f"The recipe.json of the run `{run_id}` lacks {', '.join(lacks)}; start a new run.")
    known = folder.recipe() if (folder.path / "recipe.json").is_file() else Recipe.from_json(about["recipe"])
    recipe = override(known, {} if steps is None else {"train.steps": steps})
    _check_there_is_more(folder, recipe)
    if is_training(folder.path):
        raise UserError(f"The run `{run_id}` is being trained; wait for it, or stop it first.")
    if job:
        queue.abandon(job.id)
    asked = Asked(recipe, about["source"], about["valid"], about["preset"], about["name"], owner)
    queue.submit("train", owner, run_id, _spec(asked), express=bool(job and job.slot == "express"))


def _spec(asked: Asked) -> dict[str, Any]:
    return {
        "recipe": asked.recipe.to_json(),
        "source": absolute(asked.source),
        "valid": asked.valid and absolute(asked.valid),
        "preset": asked.preset,
        "name": _name(asked),
        "threads": asked.recipe.train.threads,
    }


def work(job: queue.Job, tell: Tell) -> Generator[Event | None, None, None]:
    """Train the run of a job from where it stands: its newest checkpoint, or the start. None comes between the stages before training."""
    recipe, folder = Recipe.from_json(job.spec["recipe"]), RunFolder(runs_folder() / job.run)
    reached = max(saved_steps(folder.checkpoints), default=0)
    if reached >= recipe.train.steps and job.attempts > 1:  # the worker before was killed after its last checkpoint
        known = {key: value for key, value in folder.status().items() if key in FIGURES}
        folder.set_status("done", **known | {"step": reached})
        return
    if reached:
        started = yield from _resuming(folder.path, recipe.train.steps, (None, None), tell)
    else:
        asked = Asked(recipe, job.spec["source"], job.spec["valid"], job.spec["preset"], job.spec["name"], job.owner)
        started = yield from _starting(asked, folder.path, tell)
    threads = started.recipe.train.threads
    tell(f"Training on {started.recipe.train.device}, {threads} thread{'s' * (threads > 1)}.")
    with contextlib.closing(run(started)) as events:
        for event in events:
            if isinstance(event, Warned):
                tell(event.text)
            yield event
