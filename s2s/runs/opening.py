"""Opens a run at one of its checkpoints, or with a fault that acts at inference."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from s2s import faults
from s2s.config import UserError, shortened
from s2s.faults import install
from s2s.model import Transformer, WithoutDraws, inference, load_weights, saved_steps, weights_path
from s2s.runs.run import Run
from s2s.runs.store import RunFolder

CHECKPOINTS = ("best", "last")  # what stands for a step
STEP = re.compile(r"[0-9]{1,12}")


class NamedCheckpoint(NamedTuple):
    """A run, and the checkpoint of it that somebody named."""

    run: str | Path
    folder: RunFolder
    step: int | None  # None: the best, which gives way to another where it cannot be read


def is_checkpoint(text: str) -> bool:
    """Whether a text can name a checkpoint: a step, `best` or `last`."""
    return text in CHECKPOINTS or STEP.fullmatch(text) is not None


def step_of(folder: RunFolder, checkpoint: str) -> int:
    """The step that a checkpoint is of. Raises UserError where the run has no such checkpoint."""
    if not is_checkpoint(checkpoint):
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


def load(folder: RunFolder, step: int | None = None, *, device: str = "cpu") -> Run:
    """Open a run at a step, or at its best one that can be read. Raises UserError if that fails."""
    if step is not None:
        step_of(folder, str(step))
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
    broken: list[str] = []
    for step in steps:
        try:
            load_weights(model, weights_path(folder.checkpoints, step))
        except UserError as error:
            broken.append(str(error))
        else:
            return step, tuple([*broken, f"Step {step} was opened instead."] if broken else broken)
    raise UserError(broken[0])


@contextlib.contextmanager
def with_fault(run: Run, name: str) -> Iterator[Run]:
    """A run with the same weights and the fault, in inference mode and holding the model's lock.

    Raises UserError for an unknown name.
    """
    fault = faults.fault_of(name)
    ids = run.recipe.model.ids
    model = replace(run.recipe.model, ids=fault.ids(ids) if fault else ids)
    with inference(run.model), faults.active(run.model, name, "inference"):
        yield replace(run, recipe=replace(run.recipe, model=model))
