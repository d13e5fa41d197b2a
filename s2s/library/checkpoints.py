"""A run at one of its checkpoints, as somebody names it."""

from __future__ import annotations

from pathlib import Path

from s2s.config import UserError, shortened
from s2s.library.opener import Library
from s2s.library.rights import Verb
from s2s.runs import Run
from s2s.runs.opening import NamedCheckpoint, is_checkpoint, step_of
from s2s.runs.opening import load as load_checkpoint


def find_checkpoint(
    name: str | Path, checkpoint: int | str = "", verb: Verb = "explore"
) -> NamedCheckpoint:
    """A run by folder, id or demo name, alone or as `RUN@STEP`; its checkpoint may be given separately, too.

    STEP and `checkpoint` are a step, `best` or `last`. A run whose whole name has an `@` is meant by it. Raises
    UserError where there is no such run or checkpoint, and for two different checkpoints.
    """
    run, after = _split(name, verb)
    folder = Library().run(run, verb)
    given = [str(each) for each in (after, checkpoint) if each != ""]
    if set(given) <= {"best"}:
        return NamedCheckpoint(run, folder, None)
    steps = [step_of(folder, each) for each in given]
    if len(set(steps)) > 1:
        raise UserError(
            f"`{shortened(name)}` is step {steps[0]} and the checkpoint {given[1]} is step {steps[1]}; give one of"
            " them."
        )
    return NamedCheckpoint(run, folder, steps[0])


def _split(name: str | Path, verb: Verb) -> tuple[str | Path, str]:
    run, at, after = str(name).rpartition("@")
    if not at or not run:
        return name, ""
    if _is_run(name, verb):
        return name, ""
    named = Path(run) if isinstance(name, Path) else run
    if not is_checkpoint(after) and not _is_run(named, verb):
        return name, ""  # no run at all
    return named, after or "@"


def _is_run(name: str | Path, verb: Verb) -> bool:
    try:
        Library().run(name, verb)
    except UserError:
        return False
    return True


def load(run: str | Path, step: int | str | None = None, *, device: str = "cpu") -> Run:
    """Open a run by folder, id or demo name, at the given checkpoint or its best. Raises UserError if that fails.

    `run` may name the checkpoint, as `RUN@STEP`; a step is a number, `best` or `last`.
    """
    named = find_checkpoint(run, "" if step is None else step)
    return load_checkpoint(named.folder, named.step, device=device)
