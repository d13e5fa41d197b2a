"""The command `train`."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from s2s.cli.progress import ProgressLine
from s2s.config import Recipe, UserError, choose, override, parse_assignments, shortened

if TYPE_CHECKING:  # torch takes seconds to import; --help and mistakes should not
    from s2s.jobs import RunRequest
    from s2s.runs import RunFolder
    from s2s.training import Group

DEFAULT_PRESET = "small"


class StoppedError(UserError):
    """Raised when training was interrupted; what it had is saved."""


def train(arguments: argparse.Namespace) -> None:
    """Train in this process, or in one of several that torchrun has started."""
    if world_size() == 1:
        _train(arguments)
        return
    from s2s.jobs import follow_first_rank
    from s2s.settings import lease_seconds
    from s2s.training import processes

    with processes(lease_seconds()) as group:
        if group.rank == 0:
            _train(arguments, group)
            return
        with _signals() as group.wanted:
            for _ in follow_first_rank(
                group, arguments.source, arguments.valid, is_resumed=arguments.resume
            ):
                pass


def world_size() -> int:
    """How many processes torchrun has started; 1 without it."""
    return int(os.environ.get("WORLD_SIZE") or 1)


def _train(arguments: argparse.Namespace, group: Group | None = None) -> None:
    changes = recipe_changes(arguments)
    out = Path(arguments.out)
    if arguments.resume:
        _resume(arguments, changes, out, group)
        return
    request = run_request(arguments, changes, out.name, is_alone=group is None)
    from s2s.jobs import training

    with naming_options():
        show(training.start(request, out, processes=_size(group)), group)


def run_request(
    arguments: argparse.Namespace, changes: dict[str, Any], name: str, *, is_alone: bool = True
) -> RunRequest:
    """The run that `--source`, `--preset` and the other options request; `is_alone`: it trains in one process."""
    if not arguments.source:
        command = arguments.command.__name__
        raise UserError(
            f"`{command}` needs a dataset; add `--source`, for example --source builtin:en-fr."
        )
    recipe = override(_recipe(arguments), changes)
    if is_alone:
        _let_threads_spin(recipe)
    from s2s.data import with_sample
    from s2s.jobs import training

    seed = recipe.train.seed
    has_preset = not (arguments.recipe or (arguments.init_from and not arguments.preset))
    preset = (arguments.preset or DEFAULT_PRESET) if has_preset else ""
    return training.RunRequest(
        recipe,
        with_sample(arguments.source, seed),
        arguments.valid and with_sample(arguments.valid, seed),
        preset,
        name,
        init_from=arguments.init_from or "",
        given=tuple(changes),
    )


def _let_threads_spin(recipe: Recipe) -> None:
    if recipe.train.adapts_threads:
        from s2s.settings import for_threads

        os.environ.update(for_threads(None, spin=True))


def _size(group: Group | None) -> int:
    return group.size if group else 1


@contextlib.contextmanager
def naming_options() -> Iterator[None]:
    """Adds to errors about a run the options that help."""
    from s2s.jobs import training

    try:
        yield
    except training.RunExistsError as error:
        raise UserError(
            f"{error} `--resume` continues a trained run; `--out` names another folder."
        ) from error
    except training.RunFinishedError as error:
        raise UserError(f"{error} `--set train.steps=N` sets the new number of steps.") from error


def recipe_changes(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that `--set` and `--task` override in a recipe."""
    task = {"data.task": arguments.task} if arguments.task else {}
    return parse_assignments(arguments.set) | task


def _resume(
    arguments: argparse.Namespace, changes: dict[str, Any], out: Path, group: Group | None
) -> None:
    if group is None and "train.steps" not in changes:  # those end a time budget
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # said below
            saved = json.loads((out / "recipe.json").read_text(encoding="utf-8"))
            _let_threads_spin(Recipe.from_json(saved["recipe"]))
    from s2s.jobs import training
    from s2s.model import saved_steps

    others = sorted(set(changes) - {"train.steps", "train.lr"})
    others += [
        f"--{name.replace('_', '-')}"
        for name in ("preset", "recipe", "init_from")
        if getattr(arguments, name)
    ]
    if others:
        raise UserError(
            "`--resume` keeps the run's own recipe; only train.steps and train.lr can change, not"
            f" {', '.join(others)}."
        )
    if not saved_steps(out / "checkpoints"):
        raise UserError(
            f"`{shortened(out)}` has no checkpoint to resume from; give a folder that `train --out` wrote, or train"
            " without `--resume`."
        )
    more = training.Continuation(
        changes.get("train.steps"), changes.get("train.lr"), arguments.source, arguments.valid
    )
    with naming_options():
        show(training.resume(out, more, processes=_size(group)), group)


def _recipe(arguments: argparse.Namespace) -> Recipe:
    if arguments.recipe and arguments.preset:
        raise UserError("`--recipe` and `--preset` both give a recipe; leave one out.")
    if arguments.recipe:
        try:
            content = json.loads(Path(arguments.recipe).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            why = getattr(error, "strerror", None) or shortened(error)
            raise UserError(
                f"`{shortened(arguments.recipe)}` cannot be read ({why}); give a JSON file, such"
                " as a run's recipe.json."
            ) from error
        inner = content.get("recipe", content) if isinstance(content, dict) else content
        if not isinstance(inner, dict):
            raise UserError(
                f"`{shortened(arguments.recipe)}` is not a recipe; give a JSON object, such as a run's recipe.json."
            )
        return Recipe.from_json(inner)
    if arguments.init_from and not arguments.preset:
        from s2s.jobs import initialization

        return initialization.parse_checkpoint(arguments.init_from).folder.recipe()
    from s2s.config import PRESETS

    return choose("preset", arguments.preset or DEFAULT_PRESET, PRESETS).recipe


def show(started: Any, group: Group | None) -> None:
    """Trains and prints a line per validation."""
    from s2s.jobs import training
    from s2s.sizing import count_parameters
    from s2s.words import smoothing_note

    if group:
        started = replace(started, group=group)
        group.tell(0.0)
        group.hand_over(training.shared_files(started.folder))
    recipe = started.recipe
    tokenized = started.data
    sizes = (tokenized.src_tokenizer.vocab_size, tokenized.tgt_tokenizer.vocab_size)
    up_to = "up to " if recipe.train.adapts_threads else ""
    for note in started.notes:
        print(note)
    print(
        f"{count_parameters(recipe.model, *sizes):,} parameters; vocabularies {sizes[0]:,} and"
        f" {sizes[1]:,}; {len(tokenized.train):,} pairs;"
        f" {_length(recipe)} on {recipe.train.device}, {up_to}{recipe.train.threads} threads"
        + (f" in {group.size} processes" if group else "")
    )
    if note := smoothing_note([recipe.train.label_smoothing]):
        print(note)
    line = ProgressLine(recipe.train.steps)
    events = training.run(started, line.tell)
    with _signals() as received:
        for event in events:
            line.show(event)
            if received or (group and group.is_stopping):
                events.close()
                raise StoppedError(_where_it_stopped(started.folder))
    print(f"The run is in {started.folder.path}")
    if ended := started.folder.status().get("ended"):
        print(f"{ended} {_to_continue(started.folder)}")


def _to_continue(folder: RunFolder) -> str:
    about = folder.about()
    planned = [*about.get("plan", []), about["recipe"]["train"]][0]["steps"]
    path = shlex.quote(str(folder.path))
    return f"Continue with: train --resume --out {path} --set train.steps={planned}"


def _where_it_stopped(folder: RunFolder) -> str:
    from s2s.model import saved_steps

    steps = saved_steps(folder.checkpoints)
    if not steps:
        return "Stopped before the first update, so nothing was saved; train it again."
    path = shlex.quote(str(folder.path))
    return f"Stopped at step {max(steps):,} and saved; resume with: train --resume --out {path}"


def _length(recipe: Recipe) -> str:
    steps = f"{recipe.train.steps:,} steps"
    minutes = recipe.train.minutes
    return steps if minutes is None else f"{minutes:g} minutes, about {steps}"


@contextlib.contextmanager
def _signals() -> Iterator[list[int]]:
    """Collects Ctrl-C and SIGTERM, so that training stops between two updates and not within one."""
    received: list[int] = []
    previous = {
        number: signal.signal(number, lambda number, frame: received.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield received
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
