"""A sweep: a small grid over a few settings, queued as ordinary runs that share a tag; and a fine-tuned run with its
control run.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from s2s.config import Recipe, UserError, flat, override
from s2s.jobs import run_service
from s2s.jobs.training import submission
from s2s.jobs.training.request import RunRequest
from s2s.runs import LONGEST_NAME, LONGEST_TAG, clean_name

MOST = 24  # runs at once: more cannot be told apart in one picture
MAX_SETTINGS = 3
TAG = "sweep:"
CONTROL = "twin:"


def values(recipe: Recipe, key: str, text: str) -> list[Any]:
    """`"0.001, 0.003"` -> `[0.001, 0.003]`, words as texts.

    Raises UserError for the first that the setting does not take.
    """
    given = [part.strip() for part in text.split(",") if part.strip()]
    if not given:
        raise UserError(
            f"`{key}` has no values; give some between commas, for example {example(recipe, key)}."
        )
    found: list[Any] = []
    for part in given:
        value = _read(part)
        try:
            override(recipe, {key: value})
        except UserError as wrong:
            if _names(wrong, key):  # other settings may still change together with this one
                raise UserError(f"`{key}` cannot be {part[:40]}: {wrong}") from wrong
        if value in found:
            raise UserError(f"`{key}` has {part[:40]} twice; give each value once.")
        found.append(value)
    return found


def _names(wrong: UserError, key: str) -> bool:
    return f"`{key}`" in str(wrong) or f"`{key.rpartition('.')[2]}`" in str(wrong)


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # no JSON, or a number of thousands of digits
        return text


def example(recipe: Recipe, key: str) -> str:
    """Values that one might try beside the one that it has."""
    now = flat(recipe).get(key)
    if isinstance(now, bool):
        return "true, false"
    return f"{now}, {now * 2:g}" if isinstance(now, int | float) and now else str(now)


def grid(asked: RunRequest, choices: Mapping[str, Sequence[Any]], name: str) -> list[RunRequest]:
    """One run for each combination, its name telling what is changed, tagged `sweep:NAME`.

    Raises UserError for none or more than 3 settings, more than 24 runs, or a combination that does not go together.
    """
    if not 0 < len(choices) <= MAX_SETTINGS:
        raise UserError(
            f"A sweep changes 1 to {MAX_SETTINGS} settings and this one {len(choices)}; choose so many."
        )
    n_runs = 1
    for of_one in choices.values():
        n_runs *= len(of_one)
    if not 0 < n_runs <= MOST:
        raise UserError(
            f"A sweep has 1 to {MOST} runs and this one would have {n_runs:,}; give fewer values."
        )
    name = clean_name(name)[: LONGEST_TAG - len(TAG)].rstrip() or "sweep"
    return [
        _one(asked, dict(zip(choices, row, strict=True)), name)
        for row in itertools.product(*choices.values())
    ]


def _one(asked: RunRequest, changes: Mapping[str, Any], name: str) -> RunRequest:
    said = ", ".join(
        f"{key.rpartition('.')[2]} {_written(value)}" for key, value in changes.items()
    )
    try:
        recipe = override(asked.recipe, changes)
    except UserError as wrong:
        raise UserError(f"The run with {said} cannot be trained: {wrong}") from wrong
    room = LONGEST_NAME - len(said) - 2
    called = f"{name[:room].rstrip()}: {said}" if room > 0 else said[:LONGEST_NAME]
    return replace(asked, recipe=recipe, name=called, tags=(*asked.tags, f"{TAG}{name}"))


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def with_control_run(asked: RunRequest, name: str) -> list[RunRequest]:
    """A run that starts from another one, and the same from scratch, tagged `twin:NAME`."""
    name = clean_name(name)[: LONGEST_TAG - len(CONTROL)].rstrip() or "twin"
    tags = (*asked.tags, f"{CONTROL}{name}")
    rest = " (from scratch)"
    scratch = replace(
        asked,
        init_from="",
        name=f"{clean_name(asked.name)[: LONGEST_NAME - len(rest)].rstrip()}{rest}",
        tags=tags,
    )
    return [replace(asked, tags=tags), scratch]


def submit(orders: Sequence[RunRequest], are_express: Sequence[bool]) -> list[str]:
    """Queue all of them and return their ids; or none: where one is refused, those before it are taken back and the
    UserError is raised.
    """
    done: list[str] = []
    try:
        for order, is_express in zip(orders, are_express, strict=True):
            done.append(submission.submit(order, express=is_express))
    except UserError:
        for run_id, order in zip(done, orders, strict=False):
            _take_back(run_id, order.owner)
        raise
    return done


def _take_back(run_id: str, owner: str) -> None:
    """It may have begun meanwhile: then it is asked to stop, and stays."""
    with contextlib.suppress(UserError):
        run_service.stop(run_id, owner)
    with contextlib.suppress(UserError):
        run_service.delete(run_id, owner)
