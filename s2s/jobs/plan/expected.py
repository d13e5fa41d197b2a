"""Expected quality of a run: a prediction interval from our own measured runs.

Knows nothing of screens.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from s2s.config import PRESETS, Recipe
from s2s.data import Preview
from s2s.jobs.plan.cost import STARTUP_SECONDS, Forecast
from s2s.jobs.plan.dataset_similarity import turned
from s2s.jobs.plan.measured_runs import MeasuredRun, alike, measured_runs, why_unlike
from s2s.jobs.plan.own_settings import own_settings, suitable_lr, written
from s2s.jobs.plan.time_budget import QUICK, reference_tokens_per_second

MARGIN = 3.0  # BLEU of uncertainty either way from 50 sentences: a standard error of bootstrap samples of this size
FAR = 1.5  # how far beyond the longest measured run a prediction is still made, as a factor
WIDEST = 50.0  # BLEU; runs of other presets that differ more say nothing of this one
POINTS = 40
TRANSLATES = ("auto", "translate", "prefix", "reverse_direction")
LR_FACTOR = 2.0  # a learning rate this far from the preset's reaches another quality
# Settings that hardly change what a run reaches, or that the prediction takes into account.
OF_NO_ACCOUNT = (
    "train.steps",
    "train.minutes",
    "train.seed",
    "train.threads",
    "train.processes",
    "train.precision",
    "train.device",
    "train.batch_tokens",
    "train.warmup_steps",
    "train.watch.",
    "data.",
)
MOST_NAMED = 3  # settings in a caveat
OTHER_TASKS = ("builtin:tasks", "builtin:dialogue", "builtin:summaries", "synthetic:")


@dataclass(frozen=True)
class PredictionInterval:
    """Expected BLEU: from `low` to `high` after `reach` seconds, at the end or where our longest run ended.

    The arrays hold the interval over time, NaN where none of our runs had a score that early, or ran that long.
    """

    low: float
    high: float
    reach: float
    minutes: NDArray[np.float32]
    lows: NDArray[np.float32]
    highs: NDArray[np.float32]
    runs: tuple[MeasuredRun, ...]
    caveats: tuple[str, ...]  # what makes it uncertain, one sentence each

    @property
    def like(self) -> str:
        """The kinds of dataset of the runs that the interval is from, joined by "and"."""
        return " and ".join(dict.fromkeys(run.like for run in self.runs))


def why_not_comparable(recipe: Recipe, preview: Preview) -> str:
    """One sentence on why no measured run is comparable; empty where some are."""
    if (
        recipe.data.task not in TRANSLATES
        or preview.is_plain
        or preview.spec.startswith(OTHER_TASKS)
    ):
        return "Our measured runs all translate; there is none to compare this task with."
    if preview.n_pairs < 100:
        given = f"{preview.n_pairs:,} pairs can only be memorized"
        return f"{given}: expect them back word for word, and no other sentences."
    return ""


def why_other_rate(recipe: Recipe, preset: str) -> str:
    """One sentence on why our runs say nothing of this learning rate; empty where they do."""
    if preset not in PRESETS:
        return ""
    suitable = suitable_lr(recipe, preset)
    lr = recipe.train.lr
    if suitable is None:
        kinds = [each.train.optimizer.kind for each in (PRESETS[preset].recipe, recipe)]
        return f"Our runs used {kinds[0]}; what {kinds[1]} reaches was not measured: watch the validation loss."
    if suitable / LR_FACTOR <= lr <= suitable * LR_FACTOR:
        return ""
    risk = "it may diverge" if lr > suitable else "it may learn too slowly"
    return f"No BLEU is expected: our runs used about `train.lr` {suitable:.1g} at this width, and with {lr:g} {risk}."


def predict_quality(
    recipe: Recipe,
    preset: str,
    preview: Preview,
    cost: Forecast,
    known: Sequence[MeasuredRun] | None = None,
) -> PredictionInterval | None:
    """The expected BLEU of a recipe based on a preset; None where `why_no_prediction` says why."""
    known = measured_runs() if known is None else known
    if why_not_comparable(recipe, preview) or why_other_rate(recipe, preset):
        return None
    near = _near(known, preset, _as_translated(recipe, preview))
    if not near:
        return None
    per_second = _tokens_per_second(near, recipe, preview, cost)
    tokens = _counted_tokens(near, per_second, cost)
    values = np.array([[_or_nan(run.bleu_at(at)) for run in near] for at in tokens], np.float32)
    if np.isnan(values[-1]).all() or _too_different(near, preset, tokens[-1]):
        return None
    lows, highs = _edges(values)
    seconds = tokens / per_second
    caveats = (*_caveats(near, preview, preset), *_other_settings(recipe, preset))
    return PredictionInterval(
        float(lows[-1]),
        float(highs[-1]),
        float(seconds[-1]),
        (seconds / 60).astype(np.float32),
        lows,
        highs,
        tuple(near),
        caveats,
    )


def _counted_tokens(
    near: Sequence[MeasuredRun], per_second: float, cost: Forecast
) -> NDArray[np.float64]:
    longest = FAR * max(run.tokens for run in near)
    # whole tokens: a rounding error of one would miss the first score
    end = round(per_second * max(0.0, cost.seconds - STARTUP_SECONDS))
    reach = end if end <= longest else longest / FAR
    return np.linspace(0, reach, POINTS + 1)[1:]


def _too_different(
    near: Sequence[MeasuredRun], preset: str, tokens: float
) -> tuple[float, float] | None:
    """The lowest and the highest BLEU after these tokens, where only other presets were measured and differ too much to
    say anything of this one.
    """
    values = [value for run in near if (value := run.bleu_at(tokens)) is not None]
    if any(run.preset == preset for run in near) or max(values) - min(values) <= WIDEST:
        return None
    return min(values), max(values)


def _tokens_per_second(
    near: Sequence[MeasuredRun], recipe: Recipe, preview: Preview, cost: Forecast
) -> float:
    """The training speed of this recipe, in tokens as `ValidationPoint.tokens` counts them in these runs."""
    if {run.preset for run in near} == {QUICK}:
        return reference_tokens_per_second(
            recipe.train.threads, preview, cost.calibration, device=recipe.train.device
        )
    return cost.tokens_per_second


def why_no_prediction(
    recipe: Recipe,
    preset: str,
    preview: Preview,
    cost: Forecast,
    known: Sequence[MeasuredRun] | None = None,
) -> str:
    """One sentence on why `predict_quality` gives None."""
    if why := why_not_comparable(recipe, preview) or why_other_rate(recipe, preset):
        return why
    known = measured_runs() if known is None else known
    if not known:
        return "There are no measured runs of ours to compare with: watch the validation loss."
    translated = _as_translated(recipe, preview)
    near = _near(known, preset, translated)
    if not near:
        return why_unlike(known, translated)
    scored = [point.tokens for run in near for point in run.points if point.bleu is not None]
    if not scored:
        return "None of our measured runs on such a dataset was scored: watch the validation loss."
    per_second = _tokens_per_second(near, recipe, preview, cost)
    like = " and ".join(dict.fromkeys(run.like for run in near))
    end = _counted_tokens(near, per_second, cost)[-1]
    first = min(scored) / 2  # as early as `MeasuredRun.bleu_at` gives a value
    if end >= first and (found := _too_different(near, preset, end)):
        others = f"other presets reached BLEU {found[0]:.0f} to {found[1]:.0f} there"
        return f"There are no measured runs of `{preset}` on {like}, and {others}: watch the validation loss."
    seconds = first / per_second
    steps = math.ceil(round(seconds * cost.tokens_per_second / cost.slots, 6))
    early = f"None of our runs on {like} was scored as early as {cost.steps:,} steps"
    return f"{early}: predictions start at about {steps:,}. Watch the validation loss."


def _near(known: Sequence[MeasuredRun], preset: str, preview: Preview) -> list[MeasuredRun]:
    runs = alike(known, preview)
    own = [run for run in runs if run.preset == preset]
    return _nearest_sizes(own or runs, preview.n_pairs)


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _edges(values: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    lows = np.where(np.isnan(values), np.inf, values).min(axis=1)
    highs = np.where(np.isnan(values), -np.inf, values).max(axis=1)
    lows = np.clip(lows - MARGIN, 0, 100)
    highs = np.clip(highs + MARGIN, 0, 100)
    nothing = np.isnan(values).all(axis=1)
    return np.where(nothing, np.nan, lows).astype(np.float32), np.where(
        nothing, np.nan, highs
    ).astype(np.float32)


def _as_translated(recipe: Recipe, preview: Preview) -> Preview:
    return turned(preview) if recipe.data.task == "reverse_direction" else preview


def _nearest_sizes(runs: Sequence[MeasuredRun], n_pairs: int) -> list[MeasuredRun]:
    sizes = sorted({run.n_pairs for run in runs})
    below = [size for size in sizes if size <= n_pairs]
    above = [size for size in sizes if size >= n_pairs]
    chosen = {*below[-1:], *above[:1]}
    return [run for run in runs if run.n_pairs in chosen]


def _caveats(runs: Sequence[MeasuredRun], preview: Preview, preset: str) -> tuple[str, ...]:
    sizes = [run.n_pairs for run in runs]
    caveats = []
    if all(run.preset != preset for run in runs):
        caveats.append("No measured run used this preset; these are other models.")
    if preview.n_pairs > FAR * max(sizes):
        caveats.append(f"No measured run had this many pairs; the largest had {max(sizes):,}.")
    if preview.n_pairs < min(sizes) / FAR:
        caveats.append(
            f"No measured run had so few pairs; the smallest had {min(sizes):,}, so expect a lower score."
        )
    return tuple(caveats)


def _other_settings(recipe: Recipe, preset: str) -> list[str]:
    own = own_settings(recipe, preset) if preset in PRESETS else {}
    counted = {key: value for key, value in own.items() if not key.startswith(OF_NO_ACCOUNT)}
    if not counted:
        return []
    named = [f"`{key}` {written(value)}" for key, value in [*counted.items()][:MOST_NAMED]]
    more = [f"{len(counted) - MOST_NAMED} more"] if len(counted) > MOST_NAMED else []
    return [f"None of our runs had your {', '.join(named + more)}: expect a different score."]


def best_presets(
    preview: Preview,
    tokens_per_second: dict[str, float],
    minutes: float,
    known: Sequence[MeasuredRun] | None = None,
) -> list[tuple[str, float]]:
    """Presets that were measured on similar datasets, with the mean BLEU reached in those minutes, best first.

    `tokens_per_second` is each preset's training speed on this dataset here; presets that it lacks are left out.
    """
    known = measured_runs() if known is None else known
    if not known:
        return []
    runs = alike(known, preview)
    found = []
    for preset, speed in tokens_per_second.items():
        near = _nearest_sizes([run for run in runs if run.preset == preset], preview.n_pairs)
        values = [value for run in near if (value := run.bleu_at(60 * minutes * speed)) is not None]
        if values:
            found.append((preset, sum(values) / len(values)))
    return sorted(found, key=lambda row: -row[1])
