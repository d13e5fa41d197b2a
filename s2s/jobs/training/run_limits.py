"""The limits of this server: how long and how large a run may be."""

from __future__ import annotations

from s2s.config import Recipe, UserError, override
from s2s.files import stored
from s2s.settings import limits

BYTES = 4  # of a parameter in a checkpoint
STATE_BYTES = 8  # of a parameter in what training needs to resume: the optimizer's two averages


def check_steps(recipe: Recipe) -> None:
    """Raises UserError for more steps than are allowed; any number is with a time budget, which has its own limit."""
    most = limits().steps
    if most is not None and recipe.train.minutes is None and recipe.train.steps > most:
        raise UserError(
            f"`train.steps` {recipe.train.steps:,} is more than the {most:,} allowed here; request at most that many."
        )


def check_minutes(recipe: Recipe) -> None:
    """Raises UserError for a longer time budget than is allowed."""
    most = limits().minutes
    minutes = recipe.train.minutes
    if most is not None and minutes is not None and minutes > most:
        raise UserError(
            f"`train.minutes` {minutes:g} is more than the {most:,} allowed here; request at most that many."
        )


def check_processes(recipe: Recipe, n: int = 1) -> None:
    """Raises UserError where a new run is to have several processes, and not these `n`; a job of the queue has one."""
    if recipe.train.processes not in (1, n):
        are = "1 process trains" if n == 1 else f"{n} processes train"
        raise UserError(
            f"`train.processes` is {recipe.train.processes}, and {are} here; start as many with torchrun in a terminal,"
            " or set train.processes=1."
        )


def with_processes(recipe: Recipe, n: int = 1) -> tuple[Recipe, tuple[str, ...]]:
    """The recipe of a run that `n` processes train now, and a sentence where another number began it or was to.

    They share the rows of each batch and their optimizer's state is the same, so that any number may continue.
    """
    wanted = recipe.train.processes
    if wanted in (1, n):
        return recipe, ()
    here = "1 process trains" if n == 1 else f"{n} processes train"
    sentence = (
        f"`train.processes` was {wanted}, and {here} this run from here on, with the same batches."
    )
    return override(recipe, {"train.processes": n}), (sentence,)


def check_parameters(count: int) -> None:
    """Raises UserError for a model that is too large."""
    most = limits().parameters
    if most is not None and count > most:
        given = f"This model has {count:,} parameters and at most {most:,} may be trained here"
        raise UserError(f"{given}; choose a smaller one, such as the preset small.")


def check_opened_parameters(count: int) -> None:
    """Raises UserError for a published model that is too large."""
    most = limits().model_parameters
    if most is not None and count > most:
        raise UserError(
            f"This model has {count:,} parameters, and at most {most:,} may be opened here; choose a smaller one."
        )


def check_disk(recipe: Recipe, count: int, owner: str) -> None:
    """Raises UserError where the checkpoints of a model of `count` parameters are more than its owner may store."""
    kept = max(recipe.train.watch.keep, recipe.train.average_last) + 1
    checkpoints = kept * count * BYTES
    stored.require_room(owner, n_bytes=checkpoints + count * STATE_BYTES)
