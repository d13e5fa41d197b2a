"""What to expect of a training: a prediction interval for quality, from what our own measured runs reached.

Knows nothing of screens.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import s2s
from s2s.config import Recipe
from s2s.data import Preview
from s2s.jobs.plan.cost import Forecast

MEASURED_FILE = (
    Path(s2s.__file__).parent / "demo" / "measured.json"
)  # `python -m s2s.demo.measured` writes it
MARGIN = 3.0  # BLEU that 50 sentences leave open, either way: a standard error of bootstrap samples of this size
FAR = 1.5  # times beyond what was measured, up to which it still speaks
POINTS = 40
TRANSLATES = ("auto", "translate", "prefix", "reverse_direction")
OTHER_TASKS = ("builtin:tasks", "builtin:dialogue", "builtin:summaries", "synthetic:")


@dataclass(frozen=True)
class ValidationPoint:
    """One validation. `tokens` are slots of all batches so far, on the longer side, as a forecast counts them."""

    step: int
    minutes: float
    tokens: int
    loss: float
    token_accuracy: float
    bleu: float | None = None
    chrf: float | None = None


@dataclass(frozen=True)
class MeasuredRun:
    """A run of ours. `richness` is that of its text: how fast new words come."""

    text: str
    like: str  # its text in words for people
    preset: str
    n_pairs: int
    richness: float
    parameters: int
    points: tuple[ValidationPoint, ...]

    def bleu_at(self, tokens: float) -> float | None:
        """After this many tokens, between two validations on a straight line; the last one's where it had fewer.

        None before the first.
        """
        known = [(point.tokens, point.bleu) for point in self.points if point.bleu is not None]
        if not known or tokens < known[0][0] / 2:
            return None
        return float(
            np.interp(tokens, [0, *(at for at, _ in known)], [0, *(value for _, value in known)])
        )

    @property
    def tokens(self) -> int:
        """At its end."""
        return self.points[-1].tokens


@dataclass(frozen=True)
class PredictionInterval:
    """BLEU from `low` to `high` after `reach` seconds: at the end, or where our longest run ended. The arrays hold the
    way there.

    They are NaN where no run of ours had a score so early, or continued that long.
    """

    low: float
    high: float
    reach: float
    minutes: NDArray[np.float32]
    lows: NDArray[np.float32]
    highs: NDArray[np.float32]
    runs: tuple[MeasuredRun, ...]
    but: tuple[str, ...]  # what makes it uncertain, a sentence each

    @property
    def like(self) -> str:
        """What the texts of these runs are."""
        return " and ".join(dict.fromkeys(run.like for run in self.runs))


def richness(seen: Preview) -> float:
    """Distinct target words over the root of the running ones: 2 for a grammar's sentences, 20 to 50 for people's
    (Heaps' law).
    """
    running = sum(n * count for n, count in enumerate(seen.tgt_counts))
    return seen.tgt_words / math.sqrt(max(1, running))


def why_not_comparable(recipe: Recipe, seen: Preview) -> str:
    """Why nothing can be said of such a training, in a sentence; empty where something can."""
    if recipe.data.task not in TRANSLATES or seen.is_plain or seen.spec.startswith(OTHER_TASKS):
        return "Our measured runs all translate; there is none to compare this task with."
    if seen.n_pairs < 100:
        return f"{seen.n_pairs:,} pairs are only memorized: expect them back word for word, and no other sentence."
    return ""


def predict_quality(
    recipe: Recipe,
    preset: str,
    seen: Preview,
    cost: Forecast,
    known: Sequence[MeasuredRun] | None = None,
) -> PredictionInterval | None:
    """What is likely of that recipe, begun from a preset; None where `why_none` says why, or nothing is measured."""
    known = measured_runs() if known is None else known
    if why_not_comparable(recipe, seen) or not known:
        return None
    near = _near(known, preset, seen)
    longest = FAR * max(run.tokens for run in near)
    reach = cost.tokens if cost.tokens <= longest else longest / FAR
    tokens = np.linspace(0, reach, POINTS + 1)[1:]
    values = np.array([[_or_nan(run.bleu_at(at)) for run in near] for at in tokens], np.float32)
    if np.isnan(values[-1]).all():
        return None
    lows, highs = _edges(values)
    seconds = tokens / cost.tokens_per_second
    but = _doubts(near, seen, preset)
    return PredictionInterval(
        float(lows[-1]),
        float(highs[-1]),
        float(seconds[-1]),
        (seconds / 60).astype(np.float32),
        lows,
        highs,
        tuple(near),
        but,
    )


def why_no_prediction(
    recipe: Recipe,
    preset: str,
    seen: Preview,
    cost: Forecast,
    known: Sequence[MeasuredRun] | None = None,
) -> str:
    """Why `band` gives none, in a sentence."""
    if why := why_not_comparable(recipe, seen):
        return why
    known = measured_runs() if known is None else known
    if not known:
        return "There are no measured runs of ours to compare with: watch the validation loss."
    near = _near(known, preset, seen)
    scored = [point.tokens for run in near for point in run.points if point.bleu is not None]
    if not scored:
        return "None of our own measured runs was on such a text: watch the validation loss."
    steps = math.ceil(min(scored) / 2 / cost.slots)  # as early as `Measured.bleu_at` speaks
    like = " and ".join(dict.fromkeys(run.like for run in near))
    short = f"No run of ours on {like} was scored as early as {cost.steps:,} steps: expectations begin at about {steps:,}"
    return f"{short}. Watch the validation loss."


def _near(known: Sequence[MeasuredRun], preset: str, seen: Preview) -> list[MeasuredRun]:
    """The runs that speak for this text: on the kind most like it, with that preset where there are any, of the sizes
    around.
    """
    alike = _alike(known, richness(seen))
    own = [run for run in alike if run.preset == preset]
    return _nearest_sizes(own or alike, seen.n_pairs)


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _edges(values: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Over the runs, with what their few sentences leave open."""
    lows = np.where(np.isnan(values), np.inf, values).min(axis=1)
    highs = np.where(np.isnan(values), -np.inf, values).max(axis=1)
    lows = np.clip(lows - MARGIN, 0, 100)
    highs = np.clip(highs + MARGIN, 0, 100)
    nothing = np.isnan(values).all(axis=1)
    return np.where(nothing, np.nan, lows).astype(np.float32), np.where(
        nothing, np.nan, highs
    ).astype(np.float32)


def _alike(known: Sequence[MeasuredRun], rich: float) -> list[MeasuredRun]:
    """The runs on that kind of text whose richness is nearest, as a ratio."""
    kinds: dict[str, list[MeasuredRun]] = {run.like: [] for run in known}
    for run in known:
        kinds[run.like].append(run)
    return min(
        kinds.values(), key=lambda runs: min(abs(math.log(run.richness / rich)) for run in runs)
    )


def _nearest_sizes(runs: Sequence[MeasuredRun], n_pairs: int) -> list[MeasuredRun]:
    """Those of the next smaller and the next larger size, or of the nearest where it lies outside."""
    sizes = sorted({run.n_pairs for run in runs})
    below = [size for size in sizes if size <= n_pairs]
    above = [size for size in sizes if size >= n_pairs]
    chosen = {*below[-1:], *above[:1]}
    return [run for run in runs if run.n_pairs in chosen]


def _doubts(runs: Sequence[MeasuredRun], seen: Preview, preset: str) -> tuple[str, ...]:
    sizes = [run.n_pairs for run in runs]
    said = []
    if all(run.preset != preset for run in runs):
        said.append("None of our runs had this preset: these are other models.")
    if seen.n_pairs > FAR * max(sizes):
        said.append(f"No run of ours had this many pairs; the largest of these had {max(sizes):,}.")
    if seen.n_pairs < min(sizes) / FAR:
        said.append(
            f"No run of ours had so few pairs; the smallest of these had {min(sizes):,}, so expect less."
        )
    return tuple(said)


def best_presets(
    seen: Preview,
    tokens_per_second: dict[str, float],
    minutes: float,
    known: Sequence[MeasuredRun] | None = None,
) -> list[tuple[str, float]]:
    """Presets that were measured on such texts, with the mean BLEU that they reached in those minutes, best first.

    `tokens_per_second` says how fast each preset trains on this text here; presets that it lacks are left out.
    """
    known = measured_runs() if known is None else known
    if not known:
        return []
    alike = _alike(known, richness(seen))
    found = []
    for preset, speed in tokens_per_second.items():
        near = _nearest_sizes([run for run in alike if run.preset == preset], seen.n_pairs)
        values = [value for run in near if (value := run.bleu_at(60 * minutes * speed)) is not None]
        if values:
            found.append((preset, sum(values) / len(values)))
    return sorted(found, key=lambda row: -row[1])


def read_measured(path: Path = MEASURED_FILE) -> dict[str, Any]:
    """What was measured, as it is written: `{"runs": [...]}`."""
    return dict(json.loads(path.read_bytes())) if path.is_file() else {"runs": []}


@functools.cache
def measured_runs() -> tuple[MeasuredRun, ...]:
    """Our own runs; none where the file is missing."""
    return tuple(parse_run(row) for row in read_measured()["runs"])


def parse_run(row: dict[str, Any]) -> MeasuredRun:
    """A run as the file holds it."""
    points = tuple(ValidationPoint(**point) for point in row["points"])
    keys = ("text", "like", "preset", "n_pairs", "richness", "parameters")
    return MeasuredRun(**{key: row[key] for key in keys}, points=points)
