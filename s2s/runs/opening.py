"""Opens a run at one of its checkpoints."""

from __future__ import annotations

from pathlib import Path

from s2s import synced
from s2s.access import run_folder
from s2s.config import UserError
from s2s.faults import install
from s2s.model import Transformer, WithoutDraws, load_weights, saved_steps, weights_path
from s2s.runs.run import Run
from s2s.runs.store import RunFolder


def load(run: str | Path, step: int | None = None, *, device: str = "cpu") -> Run:
    """Open a run by folder, id or demo name, at the given checkpoint or its best. Raises UserError if that fails."""
    folder = RunFolder(run_folder(run))
    recipe = folder.recipe()
    if step is not None and step not in saved_steps(folder.checkpoints):
        have = ", ".join(map(str, saved_steps(folder.checkpoints))) or "none"
        raise UserError(f"The run `{folder.id}` has no checkpoint of step {step}; it has {have}.")
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
        except synced.AwayError:  # perhaps only for a moment
            raise
        except UserError as error:
            broken.append(str(error))
        else:
            return step, tuple([*broken, f"Step {step} was opened instead."] if broken else broken)
    raise UserError(broken[0])
