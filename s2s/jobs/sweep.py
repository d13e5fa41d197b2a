"""Sweeps (a small grid over a few settings, queued as ordinary runs with one tag) and control runs."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from s2s.config import Recipe, UserError, flat, json_or_text, override
from s2s.jobs import run_service
from s2s.jobs.plan.cost import Forecast
from s2s.jobs.plan.time_budget import CHOSEN
from s2s.jobs.training import submission
from s2s.jobs.training.request import RunRequest
from s2s.runs import LONGEST_NAME, LONGEST_TAG, clean_name

MOST = 24  # runs of one sweep: more are not distinguishable in one plot
MAX_SETTINGS = 3
TAG = "sweep:"
CONTROL = "twin:"


def values(recipe: Recipe, key: str, text: str) -> list[Any]:
    """`"0.001, 0.003"` -> `[0.001, 0.003]`, words as strings.

    Raises UserError for the first value that the setting does not allow.
    """
    given = [part.strip() for part in text.split(",") if part.strip()]
    if not given:
        raise UserError(
            f"`{key}` has no values; give some separated by commas, for example {example(recipe, key)}."
        )
    found: list[Any] = []
    for part in given:
        value = json_or_text(part)
        try:
            override(recipe, {key: value})
        except UserError as error:
            if _names(error, key):  # other settings may still change together with this one
                raise UserError(f"`{key}` cannot be {part[:40]}: {error}") from error
        if value in found:
            raise UserError(f"`{key}` has {part[:40]} twice; give each value once.")
        found.append(value)
    return found


def _names(error: UserError, key: str) -> bool:
    return f"`{key}`" in str(error) or f"`{key.rpartition('.')[2]}`" in str(error)


def example(recipe: Recipe, key: str) -> str:
    """Example values for a setting: the current one and another."""
    now = flat(recipe).get(key)
    if isinstance(now, bool):
        return "true, false"
    return f"{now}, {now * 2:g}" if isinstance(now, int | float) and now else str(now)


def grid(request: RunRequest, choices: Mapping[str, Sequence[Any]], name: str) -> list[RunRequest]:
    """One run per combination, named after its changes and tagged `sweep:NAME`.

    The preset quick keeps the values that are swept. Raises UserError for none or more than 3 settings, more than 24
    runs, an invalid combination, or steps with a time budget.
    """
    if not 0 < len(choices) <= MAX_SETTINGS:
        raise UserError(
            f"A sweep changes 1 to {MAX_SETTINGS} settings and this one {len(choices)}; choose at most {MAX_SETTINGS}."
        )
    n_runs = 1
    for options in choices.values():
        n_runs *= len(options)
    if not 0 < n_runs <= MOST:
        raise UserError(
            f"A sweep has 1 to {MOST} runs and this one would have {n_runs:,}; give fewer values."
        )
    minutes = choices.get("train.minutes", [request.recipe.train.minutes])
    if "train.steps" in choices and any(each is not None for each in minutes):
        raise UserError(
            "`train.steps` follows from `train.minutes`; sweep that, or leave the minutes empty."
        )
    name = clean_name(name)[: LONGEST_TAG - len(TAG)].rstrip() or "sweep"
    return [
        _one(request, dict(zip(choices, row, strict=True)), name)
        for row in itertools.product(*choices.values())
    ]


def _one(request: RunRequest, changes: Mapping[str, Any], name: str) -> RunRequest:
    changed = ", ".join(
        f"{key.rpartition('.')[2]} {_written(value)}" for key, value in changes.items()
    )
    try:
        recipe = override(request.recipe, changes)
    except UserError as error:
        raise UserError(f"The run with {changed} cannot be trained: {error}") from error
    room = LONGEST_NAME - len(changed) - 2
    title = f"{name[:room].rstrip()}: {changed}" if room > 0 else changed[:LONGEST_NAME]
    return replace(
        request,
        recipe=recipe,
        name=title,
        tags=(*request.tags, f"{TAG}{name}"),
        given=(*request.given, *changes),
    )


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def with_control_run(request: RunRequest, name: str) -> list[RunRequest]:
    """A run that starts from another one, and one of the same sizes from scratch, both tagged `twin:NAME`."""
    name = clean_name(name)[: LONGEST_TAG - len(CONTROL)].rstrip() or "twin"
    tags = (*request.tags, f"{CONTROL}{name}")
    rest = " (from scratch)"
    scratch = replace(
        request,
        init_from="",
        name=f"{clean_name(request.name)[: LONGEST_NAME - len(rest)].rstrip()}{rest}",
        tags=tags,
        given=CHOSEN,
    )
    return [replace(request, tags=tags), scratch]


def submit(requests: Sequence[RunRequest], forecasts: Sequence[Forecast]) -> list[str]:
    """Queue all runs and return their ids; where one is refused, delete those before it and raise its UserError."""
    done: list[str] = []
    try:
        for request, cost in zip(requests, forecasts, strict=True):
            run = submission.submit(request, express=cost.is_express, seconds=cost.seconds)
            done.append(run)
    except UserError:
        for run_id, request in zip(done, requests, strict=False):
            _withdraw(run_id, request.owner)
        raise
    return done


def _withdraw(run_id: str, owner: str) -> None:
    """Delete a queued run; if it has started meanwhile, it is stopped and kept."""
    with contextlib.suppress(UserError):
        run_service.stop(run_id, owner)
    with contextlib.suppress(UserError):
        run_service.delete(run_id, owner)
