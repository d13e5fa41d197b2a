"""Prepares a run: reads its data, learns or loads its vocabulary, and writes its folder, or opens it to be resumed."""

from __future__ import annotations

import contextlib
import platform
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from s2s.config import Recipe, UserError, override, shortened
from s2s.data import Pair, Preview, TrainingPairs, absolute, load_pairs_for_training
from s2s.files import stored
from s2s.jobs import kept_pairs
from s2s.jobs.plan.advice import warmup_note
from s2s.jobs.plan.calibration import calibrate
from s2s.jobs.plan.time_budget import within_minutes
from s2s.jobs.training import command, initialization, run_limits, seen_words
from s2s.jobs.training.initialization import InitialCheckpoint
from s2s.jobs.training.live_controls import changed
from s2s.jobs.training.request import RunRequest
from s2s.model import saved_steps
from s2s.runs import RunFolder, attention_history
from s2s.sizing import count_parameters
from s2s.tokenizers import advice
from s2s.training import Changed, Group, TrainingData, free_memory, prepare, settle

LOCK_SECONDS = 2.0  # a page that checks whether a run trains holds the lock for an instant

Tell = Callable[[str], None]  # takes a sentence about the current stage


class RunExistsError(UserError):
    """The folder holds a run already, trained or in training."""


class RunFinishedError(UserError):
    """The run has reached its last step."""


@dataclass(frozen=True)
class PreparedRun:
    """A run that is ready to train: its folder, its data and notes for people."""

    folder: RunFolder
    recipe: Recipe
    data: TrainingData
    valid: tuple[Pair, ...]
    notes: tuple[str, ...]
    is_resumed: bool = False
    initial: InitialCheckpoint | None = None
    group: Group | None = None  # of processes that train together
    warnings: tuple[str, ...] = ()  # to say once training begins
    since: float | None = None  # when its preparation began, on `time.monotonic`


def _silent(note: str) -> None:
    """Ignore a note on the stage of the preparation."""


Stages = Generator[None, None, PreparedRun]  # may be stopped between two stages


def _result(stages: Stages) -> PreparedRun:
    while True:
        try:
            next(stages)
        except StopIteration as end:
            prepared: PreparedRun = end.value
            return prepared


def start(
    request: RunRequest, path: Path, tell: Tell = _silent, *, processes: int = 1
) -> PreparedRun:
    """Read the data, train the tokenizers, check memory, write the folder. Writes nothing where the input is bad.

    `processes` train together, of which this is one.
    """
    run_limits.check_processes(request.recipe, processes)
    return _result(start_in_stages(request, path, tell))


def start_in_stages(
    request: RunRequest, path: Path, tell: Tell, *, is_retry: bool = False
) -> Stages:
    """Start a run as `start` does, stage by stage.

    `is_retry` keeps what was noted about the run before its process was killed without a checkpoint.
    """
    since = time.monotonic()
    folder = RunFolder(path)
    if saved_steps(folder.checkpoints):
        raise RunExistsError(
            f"`{folder.id}` already holds a trained run; resume that one, or start another."
        )
    if not is_retry:
        _check_free(folder)
    recipe = settle(request.recipe)
    initial = initialization.parse_checkpoint(request.init_from) if request.init_from else None
    if initial:
        initialization.check_compatible(initial, recipe)
    tell("Reading the dataset.")
    yield
    pairs = load_pairs_for_training(request.source, request.valid, recipe.train.seed, recipe.data)
    recipe = _within_minutes(recipe, request, pairs)
    request = replace(request, recipe=recipe)
    unknown = initialization.check_vocabulary(initial, pairs.train.pairs) if initial else ""
    tell("Learning the vocabulary.")
    yield
    data = prepare(recipe, pairs.train, pairs.valid, initial.tokenizers() if initial else None)
    count = count_parameters(
        recipe.model, data.src_tokenizer.vocab_size, data.tgt_tokenizer.vocab_size
    )
    run_limits.check_parameters(count)
    run_limits.check_disk(recipe, count, request.owner)
    yield
    words = seen_words.of_training(pairs, data, recipe)
    told = (unknown, seen_words.note(pairs, words))
    notes = (*_notes(pairs, data, recipe), *filter(None, told))
    with locked(folder):  # a run in training that has no checkpoint yet keeps its files
        about = _about(request, pairs, data, notes)
        about |= _from_initial(initial) if initial else {}
        about |= _earlier_notes(folder, recipe) if is_retry else {}
        repeat = command.to_repeat(recipe, about)
        about["command"] = command.with_changes(repeat, about.get("changes", []))
        attention_history.delete_after(folder, 0)
        folder.create(recipe, about, (data.src_tokenizer, data.tgt_tokenizer))
        kept_pairs.keep(folder, pairs, about)
        seen_words.keep(folder, words, initial)
    return PreparedRun(folder, recipe, data, pairs.valid.pairs, notes, initial=initial, since=since)


def _check_free(folder: RunFolder) -> None:
    """Raises UserError for a folder with files that a run would replace, and that are not a run's."""
    if name := folder.foreign_file():
        raise UserError(
            f"`{shortened(folder.path)}` holds `{name}`, which is no run's; choose another folder."
        )


def _within_minutes(recipe: Recipe, request: RunRequest, pairs: TrainingPairs) -> Recipe:
    if recipe.train.minutes is None:
        return recipe
    device = recipe.train.device
    return within_minutes(
        recipe,
        "" if request.init_from else request.preset,
        Preview.of(pairs.train),
        calibrate(device),
        given=request.given,
        free=free_memory(device),
    )


def _earlier_notes(folder: RunFolder, recipe: Recipe) -> dict[str, Any]:
    """What people wrote about a run, and what they changed while it trained; not the changes where it starts with
    another recipe.
    """
    if not (folder.path / "recipe.json").is_file():
        return {}
    about = folder.about()
    keys = {"created", "name", "tags", "comment"}
    if run_limits.with_processes(folder.recipe())[0] == recipe:
        keys.add("changes")
    return {key: about[key] for key in keys & about.keys()}


def _from_initial(initial: InitialCheckpoint) -> dict[str, Any]:
    kept = {
        "starting_settings": initial.folder.starting_settings(),
        "attribution": initial.folder.about().get("attribution"),
    }
    return {"init_from": asdict(initial), **{key: value for key, value in kept.items() if value}}


@dataclass(frozen=True)
class Continuation:
    """Changes to a run that is resumed; None changes nothing."""

    steps: int | None = None
    lr: float | None = None  # the schedule's peak, from the next step on
    source: str | None = None  # where the dataset has moved
    valid: str | None = None


UNCHANGED = Continuation()


def resume(
    path: Path, more: Continuation = UNCHANGED, tell: Tell = _silent, *, processes: int = 1
) -> PreparedRun:
    """Open a run to train it further in `processes`, however many began it.

    Its source must still hold the pairs that the run was started with.
    """
    folder = RunFolder(path)
    check_steps_left(folder, more.steps, is_done=last_state(folder) == "done")
    with locked(folder):
        note_continuation(folder, more, is_repair=last_state(folder) == "running")
    return _result(resume_in_stages(path, more, tell, processes=processes))


def resume_in_stages(path: Path, more: Continuation, tell: Tell, *, processes: int = 1) -> Stages:
    """Resume a run as `resume` does, stage by stage; its recipe.json already says what is different."""
    since = time.monotonic()
    folder = RunFolder(path)
    about = folder.about()
    recipe, warnings = run_limits.with_processes(settle(folder.recipe()), processes)
    tell("Reading the dataset.")
    yield
    moved = more.source or more.valid
    seed = recipe.train.seed
    pairs = (None if moved else kept_pairs.kept(folder, about)) or load_pairs_for_training(
        kept_pairs.moved(more.source, about["source"], seed),
        kept_pairs.moved(more.valid, about.get("valid"), seed),
        seed,
        recipe.data,
    )
    known = about["data"]
    if (pairs.train.hash, pairs.valid.hash) != (known["train_hash"], known["valid_hash"]):
        raise UserError(
            f"`{pairs.train.spec}` does not have the pairs this run was started with;"
            " restore the old data, or start a new run."
        )
    yield
    data = prepare(recipe, pairs.train, pairs.valid, folder.tokenizers())
    if "init_from" not in about:
        seen_words.complete(folder, seen_words.of_training(pairs, data, recipe))
    yield
    notes = tuple(known["notes"])
    return PreparedRun(
        folder,
        recipe,
        data,
        pairs.valid.pairs,
        notes,
        is_resumed=True,
        warnings=warnings,
        since=since,
    )


def with_steps(recipe: Recipe, steps: int | None) -> Recipe:
    """A recipe with this many steps, whatever time they take; None keeps its own."""
    if steps is None:
        return recipe
    return override(recipe, {"train.steps": steps, "train.minutes": None})


def note_continuation(folder: RunFolder, more: Continuation, *, is_repair: bool) -> None:
    """Write to recipe.json what is different from now on, for every worker that trains the run later.

    `is_repair`: its process was killed, and nobody requests more than it would have done.
    """
    step = max(saved_steps(folder.checkpoints)) + 1
    before = folder.recipe()
    recipe = with_steps(before, more.steps)
    lr = more.lr
    if not is_repair:
        folder.amend(lambda about: {"asked_from": step - 1})
    if recipe != before:
        change = {"step": step, "steps": recipe.train.steps, "time": stored.now()}
        folder.amend(lambda about: {**changed(about, change), "recipe": recipe.to_json()})
    current_lr = next((change.lr for change in reversed(lr_changes(folder))), before.train.lr)
    if lr is not None and lr != current_lr:
        override(recipe, {"train.lr": lr})
        folder.amend(lambda about: changed(about, {"step": step, "lr": lr, "time": stored.now()}))


def last_state(folder: RunFolder) -> str:
    """The state in status.json; empty where it cannot be read: resuming writes a new one."""
    try:
        return str(folder.status().get("state", ""))
    except UserError:
        return ""


def check_steps_left(folder: RunFolder, steps: int | None, *, is_done: bool) -> None:
    """Raises RunFinishedError where the run is at its last step; a run that was killed there may still be finished."""
    if folder.about().get("imported"):
        raise UserError(f"The run `{folder.id}` was imported, so it has no training to continue.")
    reached = max(saved_steps(folder.checkpoints), default=0)
    most = with_steps(folder.recipe(), steps).train.steps
    if (is_done or steps is not None) and reached >= most:
        raise RunFinishedError(
            f"This run has reached step {reached} of {most}; request more than {reached} steps to continue."
        )


@contextlib.contextmanager
def locked(folder: RunFolder) -> Iterator[None]:
    """Hold the run's lock, one process at a time. Raises RunExistsError while another one trains in the folder."""
    lock = FileLock(folder.lock_file)
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=LOCK_SECONDS)
    except Timeout as error:
        raise RunExistsError(
            f"Another process is training the run `{folder.id}`; wait for it, or stop it first."
        ) from error
    except OSError as error:
        raise UserError(
            f"`{shortened(folder.path)}` cannot be written ({error.strerror or error}); choose another folder."
        ) from error
    with lock:
        yield


def lr_changes(folder: RunFolder) -> list[Changed]:
    """The changes of the learning rate that recipe.json knows, by step."""
    return [
        Changed(change["step"], change["lr"])
        for change in folder.about().get("changes", [])
        if "lr" in change
    ]


def _notes(pairs: TrainingPairs, data: TrainingData, recipe: Recipe) -> tuple[str, ...]:
    sides = ([getattr(pair, side) for pair in pairs.train.pairs] for side in ("src", "tgt"))
    warning = advice(recipe.tokenizer.kind, *sides)
    only_valid = (note for note in pairs.valid.notes if note not in pairs.train.notes)
    notes = [*pairs.train.notes, pairs.note, *only_valid]
    notes += filter(None, [warning, warmup_note(recipe)])
    for side, encoded in (("training", data.train), ("validation", data.valid)):
        if encoded.n_dropped:
            notes.append(
                f"{encoded.n_dropped:,} {side} pairs are longer than {recipe.data.max_length} tokens and were dropped."
            )
    return tuple(notes)


def _dropped(pairs: TrainingPairs, data: TrainingData, max_length: int) -> dict[str, int]:
    counted = [(pairs.train, data.train)]
    if pairs.valid.hash != pairs.train.hash:  # else the training pairs serve for both
        counted.append((pairs.valid, data.valid))
    counts: Counter[str] = Counter()
    for corpus, encoded in counted:
        counts.update(dict(corpus.dropped))
        if encoded.n_dropped:
            counts[f"longer than {max_length} tokens"] += encoded.n_dropped
    return dict(counts)


def _about(
    request: RunRequest, pairs: TrainingPairs, data: TrainingData, notes: tuple[str, ...]
) -> dict[str, Any]:
    dropped = _dropped(pairs, data, request.recipe.data.max_length)
    return {
        "name": request.title,
        "tags": list(request.tags),
        "owner": request.owner,
        "preset": request.preset,
        "source": absolute(request.source),
        "valid": request.valid and absolute(request.valid),
        "data": {
            "train_hash": pairs.train.hash,
            "valid_hash": pairs.valid.hash,
            "n_train": len(data.train),
            "n_valid": len(data.valid),
            "n_dropped": sum(dropped.values()),
            "dropped": dropped,
            "notes": list(notes),
            "task": pairs.train.task,
        },
        "versions": {
            "python": platform.python_version(),
            "torch": version("torch"),
            "tokenizers": version("tokenizers"),
        },
        "machine": platform.machine(),
    }
