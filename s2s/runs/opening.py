"""Opens a run at one of its checkpoints."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from s2s.access import Verb, run_folder
from s2s.config import UserError, shortened
from s2s.faults import install
from s2s.model import Transformer, WithoutDraws, load_weights, saved_steps, weights_path
from s2s.runs.run import Run
from s2s.runs.store import RunFolder

CHECKPOINTS = ("best", "last")  # what stands for a step
STEP = re.compile(r"[0-9]{1,12}")


class NamedCheckpoint(NamedTuple):
    """What somebody named: a run, and a checkpoint that it has."""

    run: str | Path
    folder: RunFolder
    step: int | None  # None: the best, which gives way to another where it cannot be read


def find_checkpoint(
    name: str | Path, checkpoint: int | str = "", verb: Verb = "explore"
) -> NamedCheckpoint:
    """A run by folder, id or demo name, alone or as `RUN@STEP`; its checkpoint may be given separately, too.

    STEP and `checkpoint` are a step, `best` or `last`. A run whose whole name has an `@` is meant by it. Raises
    UserError where there is no such run or checkpoint, and for two different checkpoints.
    """
    run, after = _split(name, verb)
    folder = RunFolder(run_folder(run, verb))
    given = [str(each) for each in (after, checkpoint) if each != ""]
    if set(given) <= {"best"}:
        return NamedCheckpoint(run, folder, None)
    steps = [_step(folder, each) for each in given]
    if len(set(steps)) > 1:
        raise UserError(
            f"`{shortened(name)}` is step {steps[0]} and the checkpoint {given[1]} is step {steps[1]}; give one of"
            " them."
        )
    return NamedCheckpoint(run, folder, steps[0])


def _split(name: str | Path, verb: Verb) -> tuple[str | Path, str]:
    """The run and what follows its `@`, if anything does."""
    run, at, after = str(name).rpartition("@")
    if not at or not run:
        return name, ""
    if _is_run(name, verb):
        return name, ""
    named = Path(run) if isinstance(name, Path) else run
    if not _is_checkpoint(after) and not _is_run(named, verb):
        return name, ""  # no run at all
    return named, after or "@"


def _is_run(name: str | Path, verb: Verb) -> bool:
    try:
        run_folder(name, verb)
    except UserError:
        return False
    return True


def _is_checkpoint(text: str) -> bool:
    return text in CHECKPOINTS or STEP.fullmatch(text) is not None


def _step(folder: RunFolder, checkpoint: str) -> int:
    """The step that a checkpoint is of."""
    if not _is_checkpoint(checkpoint):
        raise UserError(
            f"`{shortened(checkpoint)}` is not a checkpoint; give a step such as 1500, or best or last."
        )
    if checkpoint == "best":
        return folder.best_or_newest_step()
    steps = saved_steps(folder.checkpoints)
    step = max(folder.steps_by_choice()) if checkpoint == "last" else int(checkpoint)
    if step not in steps:
        have = ", ".join(map(str, steps)) or "none"
        raise UserError(f"The run `{folder.id}` has no checkpoint of step {step}; it has {have}.")
    return step


def load(run: str | Path, step: int | str | None = None, *, device: str = "cpu") -> Run:
    """Open a run by folder, id or demo name, at the given checkpoint or its best. Raises UserError if that fails.

    `run` may name the checkpoint, as `RUN@STEP`; a step is a number, `best` or `last`.
    """
    _, folder, step = find_checkpoint(run, "" if step is None else step)
    recipe = folder.recipe()
    src_tokenizer, tgt_tokenizer = folder.tokenizers()
    with WithoutDraws():
        model = Transformer(recipe.model, src_tokenizer.vocab_size, tgt_tokenizer.vocab_size)
    chosen, notes = _load_first_readable(
        model, folder, folder.steps_by_choice() if step is None else [step]
    )
    install(model, recipe.train.fault)
    return Run(
        folder,
        recipe,
        model.to(device).eval(),
        src_tokenizer,
        tgt_tokenizer,
        chosen,
        notes,
        folder.starting_settings(),
    )


def _load_first_readable(
    model: Transformer, folder: RunFolder, steps: list[int]
) -> tuple[int, tuple[str, ...]]:
    """Load the first of these steps whose weights can be read. Returns it, with the errors of those before it."""
    broken: list[str] = []
    for step in steps:
        try:
            load_weights(model, weights_path(folder.checkpoints, step))
        except UserError as error:
            broken.append(str(error))
        else:
            return step, tuple([*broken, f"Step {step} was opened instead."] if broken else broken)
    raise UserError(broken[0])
