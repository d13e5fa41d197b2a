"""Runs that differ only in their seed: which these are, and mean and spread of their scores."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from s2s.config import Recipe, UserError, flat, shortened
from s2s.runs.differences import HARDWARE_SETTINGS, varied_settings
from s2s.runs.metrics import Curves, Metrics
from s2s.runs.opening import NamedCheckpoint
from s2s.runs.portable import dataset_name
from s2s.runs.store import RunFolder

SEED = "train.seed"
HELD_OUT = (
    "held out for validation"  # in the note on a dataset whose validation pairs the seed draws
)
OTHER_PAIRS = (
    "Each seed also draws other validation pairs from this dataset, which adds to the spread."
)
RANDOM_TASKS = frozenset({"denoise"})  # which make other pairs with each seed
AT = "at"  # of a run's description: the step whose scores are meant, if not the best
CHANGES = ("step", "lr", "steps")
ANGLES = 20_001  # at which the t distribution is computed
SCORES = ("loss", "token_accuracy", "bleu", "chrf")


class Described(NamedTuple):
    """A run: its recipe, and what its recipe.json says of it beside that."""

    recipe: Recipe
    about: Mapping[str, Any]


class Spread(NamedTuple):
    """Mean and sample standard deviation (divided by n - 1) of n runs; a single one has no spread."""

    mean: float
    sd: float | None
    n: int

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Spread | None:
        """Mean and spread of the values that are known; None where none is."""
        known = [value for value in values if value is not None and math.isfinite(value)]
        if not known:
            return None
        sd = statistics.stdev(known) if len(known) > 1 else None
        return cls(statistics.fmean(known), sd, len(known))

    def text(self, form: str) -> str:
        """`0.123 ± 0.004`, with the format `form` for each number."""
        mean = format(self.mean, form)
        return mean if self.sd is None else f"{mean} ± {format(self.sd, form)}"


class Difference(NamedTuple):
    """A difference of two means: second minus first, its 95 % interval, and the p-value of no difference."""

    mean: float
    low: float
    high: float
    p: float


def difference(one: Spread, other: Spread) -> Difference | None:
    """The difference of two means by Welch's t-test; None where a side is a single run, or neither has any spread.

    The t distribution is integrated over angles: with t = sqrt(df) tan(angle) its density is cos(angle)^(df - 1).
    """
    if one.sd is None or other.sd is None or not (one.sd or other.sd):
        return None
    parts = np.array([one.sd**2 / one.n, other.sd**2 / other.n])
    error = math.sqrt(parts.sum())
    df = float(parts.sum() ** 2 / (parts**2 / (np.array([one.n, other.n]) - 1)).sum())
    angles = np.linspace(-math.pi / 2, math.pi / 2, ANGLES)
    density = np.maximum(np.cos(angles), 0) ** (df - 1)
    below = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    below /= below[-1]
    mean = other.mean - one.mean
    t = abs(mean) / error
    half = error * math.sqrt(df) * math.tan(np.interp(0.975, below, angles))
    p = 2 * (1 - float(np.interp(math.atan(t / math.sqrt(df)), angles, below)))
    return Difference(mean, mean - half, mean + half, p)


def groups(runs: Mapping[str, Described]) -> list[tuple[str, ...]]:
    """The ids of runs by everything but their seed, in order; of runs with equal seeds only the first counts."""
    found: dict[str, dict[int, str]] = {}
    for run, described in runs.items():
        found.setdefault(_setting(described), {}).setdefault(described.recipe.train.seed, run)
    return [tuple(by_seed.values()) for by_seed in found.values()]


def draws_pairs(runs: Iterable[Described]) -> bool:
    """Whether the seed also decides which pairs these runs were trained and validated on."""
    return any(map(_draws, runs))


def _draws(run: Described) -> bool:
    data = _mapping(run.about.get("data"))
    notes = data.get("notes")
    is_held_out = any(HELD_OUT in str(note) for note in (notes if isinstance(notes, list) else ()))
    task = data.get("task") or run.recipe.data.task
    return (is_held_out and run.recipe.data.held_out != "last") or task in RANDOM_TASKS


def _setting(run: Described) -> str:
    about = run.about
    ignored = (SEED, *HARDWARE_SETTINGS)
    recipe = {key: value for key, value in flat(run.recipe).items() if key not in ignored}
    data = _mapping(about.get("data"))
    n_pairs = _n_pairs(data)
    hashes = [] if _draws(run) else [data.get("train_hash"), data.get("valid_hash")]
    changes = about.get("changes")
    changed = [
        [_mapping(change).get(key) for key in CHANGES]
        for change in (changes if isinstance(changes, list) else ())
    ]
    named = [about.get(key) for key in ("source", "valid", "init_from", "imported", AT)]
    return json.dumps([recipe, named, n_pairs, hashes, changed], sort_keys=True, default=str)


def _n_pairs(data: Mapping[str, Any]) -> int:
    counts = [data.get(key) for key in ("n_train", "n_valid", "n_dropped")]
    return sum(count for count in counts if isinstance(count, int))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def varied(runs: Sequence[Described]) -> dict[str, list[Any]]:
    """The settings, but the seed, and the data in which runs of different groups differ, with the value of each run."""
    rows = varied_settings([run.recipe for run in runs])
    found = {row.key: list(row.values) for row in rows if row.key != SEED}
    data = [_mapping(run.about.get("data")) for run in runs]
    columns: dict[str, list[Any]] = {
        "dataset": _names([str(run.about.get("source") or "") for run in runs]),
        "validation": _names([str(run.about.get("valid") or "") for run in runs]),
        "step": [run.about.get(AT) or "best" for run in runs],
        "start": [_start(run.about) for run in runs],
        "pairs": [_n_pairs(each) for each in data],
    }
    different = {key: values for key, values in columns.items() if len(set(values)) > 1}
    if not different and not draws_pairs(runs):
        hashes = [str(each.get("train_hash") or "")[:12] for each in data]
        different = {"data hash": hashes} if len(set(hashes)) > 1 else {}
    return different | found


def _names(specs: Sequence[str]) -> list[str]:
    names: dict[str, str] = {}
    for spec in dict.fromkeys(specs):
        name = dataset_name(spec)
        n_before = sum(dataset_name(other) == name for other in names)
        names[spec] = f"{name} ({n_before + 1})" if n_before else name
    return [names[spec] for spec in specs]


def _start(about: Mapping[str, Any]) -> str:
    start = _mapping(about.get("init_from"))
    name = PurePath(str(start.get("run") or "")).name
    return f"{name}@{start.get('step')}" if name else ""


def by_setting(named: Mapping[str, NamedCheckpoint]) -> list[dict[str, Any]]:
    """A row per setting: the settings that differ, the `runs`, their number `n` and `seeds`, and for each of SCORES, at
    the best validation, `SCORE` (the mean) and `SCORE sd` (the sample standard deviation; None for one run).

    `named` are checkpoints by what named them; those that differ in more than their seed are in different rows. Raises
    UserError for a run that has not finished, or a step without a validation.
    """
    folders = {run: checkpoint.folder for run, checkpoint in named.items()}
    for run, folder in folders.items():
        if folder.status().get("state") != "done":
            raise UserError(
                f"The run `{shortened(run)}` has not finished; leave it out, or resume it."
            )
    described = {
        run: Described(each.folder.recipe(), {**each.folder.about(), AT: each.step})
        for run, each in named.items()
    }
    scores = {run: best_scores(each.folder, each.step) for run, each in named.items()}
    found = groups(described)
    differing = varied([described[ids[0]] for ids in found])
    return [
        {key: values[at] for key, values in differing.items()}
        | {
            "runs": list(ids),
            "n": len(ids),
            "seeds": [described[run].recipe.train.seed for run in ids],
        }
        | {
            name: value
            for score in SCORES
            if (spread := Spread.of(scores[run][score] for run in ids))
            for name, value in ((score, spread.mean), (f"{score} sd", spread.sd))
        }
        for at, ids in enumerate(found)
    ]


def best_scores(folder: RunFolder, step: int | None = None) -> dict[str, float | None]:
    """SCORES at a run's best validation, or that of a step; None where it was not measured.

    Raises UserError for a step without a validation.
    """
    curves = Metrics(folder.path / "metrics.jsonl").read()
    if step is not None and step not in curves.valid_steps:
        raise UserError(
            f"The run `{folder.id}` was not validated at step {step:,}; leave the step out."
        )
    at = best_validation(curves, folder.status().get("best_step") if step is None else step)
    columns = {score: getattr(curves, f"valid_{score}") for score in SCORES}
    return {
        score: None if at is None or not math.isfinite(column[at]) else float(column[at])
        for score, column in columns.items()
    }


def best_validation(curves: Curves, best_step: int | None) -> int | None:
    """The index of the best validation in the curves: of the run's best step, else the lowest loss; None without any.

    Averaged weights are validated last of all at their step, and are the best even where a loss was lower.
    """
    if not np.isfinite(curves.valid_loss).any():
        return None
    found = np.flatnonzero(curves.valid_steps == (-1 if best_step is None else best_step))
    return int(found[-1] if len(found) else np.nanargmin(curves.valid_loss))
