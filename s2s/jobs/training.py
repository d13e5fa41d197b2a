"""A run from its recipe to its last checkpoint: here or through the queue."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from s2s.config import Recipe, UserError, override
from s2s.data import Pair, TrainingPairs, absolute, load_pairs_for_training, splits
from s2s.jobs import allowed, origin, queue, repeat
from s2s.jobs.advice import warmup_note
from s2s.jobs.kinds import Desk
from s2s.jobs.origin import Origin
from s2s.jobs.recording import Recorder, recorded
from s2s.jobs.steering import Steering, changed
from s2s.jobs.watching import Watcher
from s2s.model import load_weights, saved_steps
from s2s.runs import (
    LONGEST_NAME,
    RunFolder,
    attention_history,
    clean_name,
    find_run,
    is_training,
    now,
    runs_folder,
)
from s2s.settings import OWNER, SHIPPED, new_id, worker_is_elsewhere
from s2s.sizing import count_parameters
from s2s.tokenizers import advice
from s2s.train import Changed, Event, Group, Saved, Trainer, TrainingData, Warned, prepare, settle

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
    init_from: str = ""  # RUN or RUN@STEP, whose weights and vocabulary it starts with
    tags: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What people will call it."""
        return (clean_name(self.name) or self.preset or self.source)[:LONGEST_NAME].rstrip()


@dataclass(frozen=True)
class Started:
    """A run that is ready to train: its folder, its data and sentences for people."""

    folder: RunFolder
    recipe: Recipe
    data: TrainingData
    valid: tuple[Pair, ...]
    notes: tuple[str, ...]
    is_resumed: bool = False
    origin: Origin | None = None
    group: Group | None = None  # of processes that train together


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


def _starting(asked: Asked, path: Path, tell: Tell, *, again: bool = False) -> Stages:
    """`again`: what was noted about the run, before its process was killed without a checkpoint, is kept."""
    folder = RunFolder(path)
    if saved_steps(folder.checkpoints):
        raise TakenError(
            f"`{folder.id}` already holds a trained run; go on with that one, or start another."
        )
    recipe = settle(asked.recipe)
    given = origin.origin(asked.init_from) if asked.init_from else None
    if given:
        origin.check(given, recipe)
    tell("Reading the text.")
    yield
    pairs = load_pairs_for_training(asked.source, asked.valid, recipe.train.seed, recipe.data)
    unknown = origin.check_text(given, pairs.train.pairs) if given else ""
    tell("Learning the vocabulary.")
    yield
    data = prepare(recipe, pairs.train, pairs.valid, given.tokenizers() if given else None)
    allowed.check_parameters(
        count_parameters(recipe.model, data.src_tokenizer.vocab_size, data.tgt_tokenizer.vocab_size)
    )
    yield
    notes = (*_notes(pairs, data, recipe), *filter(None, [unknown]))
    with _lock(
        folder
    ):  # a run that is being trained there, and has no checkpoint yet, keeps its files
        about = _about(asked, pairs, data, notes) | ({"init_from": asdict(given)} if given else {})
        about |= _noted(folder, recipe) if again else {}
        about["command"] = repeat.continued(repeat.command(recipe, about), about.get("changes", []))
        attention_history.delete_after(folder, 0)
        folder.create(recipe, about, (data.src_tokenizer, data.tgt_tokenizer))
    return Started(folder, recipe, data, pairs.valid.pairs, notes, origin=given)


def _noted(folder: RunFolder, recipe: Recipe) -> dict[str, Any]:
    """What people wrote about a run, and changed while it ran; the latter not where it starts again with another recipe."""
    if not (folder.path / "recipe.json").is_file():
        return {}
    about = folder.about()
    keys = {"created", "name", "tags", "comment"} | (
        {"changes"} if folder.recipe() == recipe else set()
    )
    return {key: about[key] for key in keys & about.keys()}


@dataclass(frozen=True)
class More:
    """How to go on with a run: None leaves a thing as it is."""

    steps: int | None = None
    lr: float | None = None  # the schedule's highest, from the next step on
    source: str | None = None  # where the text has moved
    valid: str | None = None


AS_IT_WAS = More()


def resume(path: Path, more: More = AS_IT_WAS, tell: Tell = _silent) -> Started:
    """Open a run to go on with it. Its source must still hold the pairs that the run was started with."""
    folder = RunFolder(path)
    _check_there_is_more(folder, more.steps, is_done=_state(folder) == "done")
    with _lock(folder):
        _note_what_is_new(folder, more, is_repair=_state(folder) == "running")
    return _result(_resuming(path, more, tell))


def _resuming(path: Path, more: More, tell: Tell) -> Stages:
    folder = RunFolder(path)
    about = folder.about()
    recipe = settle(folder.recipe())
    source = more.source
    valid = more.valid
    tell("Reading the text.")
    yield
    pairs = load_pairs_for_training(
        source or about["source"], valid or about["valid"], recipe.train.seed, recipe.data
    )
    if [pairs.train.hash, pairs.valid.hash] != [
        about["data"]["train_hash"],
        about["data"]["valid_hash"],
    ]:
        raise UserError(
            f"`{pairs.train.spec}` has not the pairs this run was started with; bring the old data back, or start a new run."
        )
    yield
    data = prepare(recipe, pairs.train, pairs.valid, folder.tokenizers())
    yield
    return Started(
        folder, recipe, data, pairs.valid.pairs, tuple(about["data"]["notes"]), is_resumed=True
    )


def _lengthened(recipe: Recipe, steps: int | None) -> Recipe:
    """With so many steps, None for as many as it has."""
    return recipe if steps is None else override(recipe, {"train.steps": steps})


def _note_what_is_new(folder: RunFolder, more: More, *, is_repair: bool) -> None:
    """Into recipe.json, where it is asked for: whoever trains from there on obeys it, however often it is taken over.

    `is_repair`: its process was killed, and nobody asks for more than it would have done.
    """
    step = max(saved_steps(folder.checkpoints)) + 1
    known = folder.recipe()
    recipe = _lengthened(known, more.steps)
    lr = more.lr
    if not is_repair:
        folder.amend(lambda about: {"asked_from": step - 1})
    if recipe != known:
        change = {"step": step, "steps": recipe.train.steps, "time": now()}
        folder.amend(lambda about: {**changed(about, change), "recipe": recipe.to_json()})
    if lr is not None and lr != next(
        (change.lr for change in reversed(_changes(folder))), known.train.lr
    ):
        override(recipe, {"train.lr": lr})
        folder.amend(lambda about: changed(about, {"step": step, "lr": lr, "time": now()}))


def _state(folder: RunFolder) -> str:
    """What status.json says last; empty where it cannot be read: going on writes a new one."""
    try:
        return str(folder.status().get("state", ""))
    except UserError:
        return ""


def _check_there_is_more(folder: RunFolder, steps: int | None, *, is_done: bool) -> None:
    """Raises NothingLeftError where the run has reached its last step; one that was killed there may still come to its end."""
    reached = max(saved_steps(folder.checkpoints), default=0)
    if (is_done or steps is not None) and reached >= (
        most := _lengthened(folder.recipe(), steps).train.steps
    ):
        raise NothingLeftError(
            f"This run has reached step {reached} of {most}; ask for more than {reached} steps to go on."
        )


@contextlib.contextmanager
def _lock(folder: RunFolder) -> Iterator[None]:
    """One process a run: raises TakenError while another one trains in the folder."""
    folder.path.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder.lock_file)
    try:
        lock.acquire(timeout=LOCK_SECONDS)
    except Timeout as error:
        raise TakenError(
            f"Another process is training the run `{folder.id}`; wait for it, or stop it first."
        ) from error
    with lock:
        yield


def run(started: Started) -> Generator[Event, None, None]:
    """Train, writing each event to the folder before it is passed on.

    Closing the iterator saves where training stands, so that it can be resumed from there.
    """
    with contextlib.closing(steered(started)) as events:
        yield from filter(None, events)


def steered(
    started: Started, steering: Steering | None = None
) -> Generator[Event | None, None, None]:
    """The same under somebody's hand; None comes while a pause is wanted."""
    folder = started.folder
    with _lock(folder):
        trainer = Trainer(
            started.recipe, started.data, folder.checkpoints, _changes(folder), group=started.group
        )
        if started.is_resumed:
            trainer.resume()
            if folder.about().get("asked_from") == trainer.progress.step:
                trainer.ask_for_more()
            folder.truncate_logs(trainer.progress.step)
            attention_history.delete_after(folder, trainer.progress.step)
            folder.amend(lambda about: {"recipe": started.recipe.to_json()})
        elif started.origin:
            load_weights(trainer.model, started.origin.weights)
        yield from recorded(Recorder(folder, trainer, Watcher(trainer, started.valid)), steering)


def _changes(folder: RunFolder) -> list[Changed]:
    return [
        Changed(change["step"], change["lr"])
        for change in folder.about().get("changes", [])
        if "lr" in change
    ]


def _notes(pairs: TrainingPairs, data: TrainingData, recipe: Recipe) -> tuple[str, ...]:
    """What happened to the data, a sentence each."""
    sides = ([getattr(pair, side) for pair in pairs.train.pairs] for side in ("src", "tgt"))
    warning = advice(recipe.tokenizer.kind, *sides)
    notes = [
        *pairs.train.notes,
        pairs.note,
        *(note for note in pairs.valid.notes if note not in pairs.train.notes),
    ]
    notes += filter(None, [warning, warmup_note(recipe)])
    for side, encoded in (("training", data.train), ("validation", data.valid)):
        if encoded.n_dropped:
            notes.append(
                f"{encoded.n_dropped:,} {side} pairs are longer than {recipe.data.max_length} tokens and were dropped."
            )
    return tuple(notes)


def _about(
    asked: Asked, pairs: TrainingPairs, data: TrainingData, notes: tuple[str, ...]
) -> dict[str, Any]:
    return {
        "name": asked.title,
        "tags": list(asked.tags),
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
        "versions": {
            "python": platform.python_version(),
            "torch": version("torch"),
            "tokenizers": version("tokenizers"),
        },
        "machine": platform.machine(),
    }


def submit(asked: Asked, *, express: bool = False) -> str:
    """Queue a run and return its id. Raises UserError for what can be known before the text is read.

    Device and threads are fixed here, one core being left to the dashboard; where the worker is on another machine, it fixes them.
    """
    for spec in filter(None, (asked.source, asked.valid)):
        splits(spec)
    recipe = asked.recipe
    run_id = new_id()
    allowed.check_steps(recipe)
    if asked.init_from:
        given = origin.origin(asked.init_from)
        origin.check(given, recipe)
        asked = replace(
            asked, init_from=str(given)
        )  # the same one, whatever becomes its best until then
    if not worker_is_elsewhere():
        recipe = settle(recipe)
        if not asked.recipe.train.threads:
            recipe = override(recipe, {"train.threads": max(1, recipe.train.threads - 1)})
    queue.submit(
        "train", asked.owner, run_id, _spec(replace(asked, recipe=recipe)), express=express
    )
    return run_id


def submit_resume(
    run_id: str, owner: str, steps: int | None = None, lr: float | None = None
) -> None:
    """Queue a run to go on with, perhaps to more steps or with another `train.lr`; one without a checkpoint starts again.

    Raises UserError where it is somebody else's, is finished, or is worked on.
    """
    folder = RunFolder(runs_folder() / run_id)
    job = queue.latest(run_id)
    about = _about_of(folder, job, owner)
    known = (
        folder.recipe()
        if (folder.path / "recipe.json").is_file()
        else Recipe.from_json(about["recipe"])
    )
    recipe = _lengthened(known, steps)
    has_begun = bool(saved_steps(folder.checkpoints))
    allowed.check_steps(recipe)
    if has_begun:
        is_done = _state(folder) == "done" and (job is None or job.state == "done")
        _check_there_is_more(folder, steps, is_done=is_done)
    elif lr is not None:
        recipe = override(recipe, {"train.lr": lr})  # it starts again
    if is_training(folder.path):
        raise UserError(f"The run `{run_id}` is being trained; wait for it, or stop it first.")
    if job:
        queue.abandon(job.id)
    asked = Asked(recipe, about["source"], about["valid"], about["preset"], about["name"], owner)
    asked = replace(asked, init_from=_init_from(about), tags=tuple(about.get("tags", ())))
    is_short = bool(job and job.slot == "express" and recipe.train.steps <= known.train.steps)
    if has_begun:
        is_repair = (
            job is not None
            and job.state in ("running", "interrupted")
            and (steps, lr) == (None, None)
        )
        _note_what_is_new(folder, More(steps, lr), is_repair=is_repair)
    try:
        queue.submit("train", owner, run_id, _spec(asked), express=is_short)
    except UserError:
        if has_begun:
            folder.write_about(about)  # nothing is asked for
        raise


def _about_of(folder: RunFolder, job: queue.Job | None, owner: str) -> dict[str, Any]:
    """What is known of a run, by its folder or, before it has one, by its job."""
    if find_run(folder.id, owner):
        about = folder.about()
    elif job and job.owner == owner:
        about = dict(job.spec)
    else:
        shipped = (
            " It ships with the program, without what training needs to go on."
            if (SHIPPED / folder.id).is_dir()
            else ""
        )
        raise UserError(
            f"There is no run `{folder.id}` of yours to go on with; start a new one.{shipped}"
        )
    if lacks := [key for key in ("source", "valid", "preset", "name") if key not in about]:
        raise UserError(
            f"The recipe.json of the run `{folder.id}` lacks {', '.join(lacks)}; start a new run."
        )
    return about


def _init_from(about: Mapping[str, Any]) -> str:
    """In a job's spec it is a text already."""
    given = about.get("init_from") or ""
    return given if isinstance(given, str) else str(Origin(**given))


def _spec(asked: Asked) -> dict[str, Any]:
    return {
        "recipe": asked.recipe.to_json(),
        "source": absolute(asked.source),
        "valid": asked.valid and absolute(asked.valid),
        "preset": asked.preset,
        "name": asked.title,
        "threads": asked.recipe.train.threads,
        "init_from": asked.init_from,
        "tags": list(asked.tags),
    }


def _asked(job: queue.Job) -> Asked:
    """The opposite of `_spec`; older jobs have neither origin nor tags."""
    spec = job.spec
    more = {"init_from": spec.get("init_from", ""), "tags": tuple(spec.get("tags", ()))}
    return Asked(
        Recipe.from_json(spec["recipe"]),
        spec["source"],
        spec["valid"],
        spec["preset"],
        spec["name"],
        job.owner,
        **more,
    )


def work(job: queue.Job, desk: Desk) -> Generator[Event | None, None, None]:
    """Train the run of a job from where it stands: its newest checkpoint, or the start. None comes between the stages before training."""
    folder = RunFolder(runs_folder() / job.run)
    if saved_steps(folder.checkpoints):
        started = yield from _resuming(folder.path, AS_IT_WAS, desk.tell)
    else:
        started = yield from _starting(_asked(job), folder.path, desk.tell, again=True)
    threads = started.recipe.train.threads
    desk.tell(f"Training on {started.recipe.train.device}, {threads} thread{'s' * (threads > 1)}.")
    with contextlib.closing(steered(started, Steering(desk, job))) as events:
        for event in events:
            if isinstance(event, Warned):
                desk.tell(event.text)
            if isinstance(event, Saved):
                desk.progressed()
            yield event
