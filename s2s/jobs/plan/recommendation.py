"""Which preset fits a dataset and a time budget: by our own measured runs, else by a rule of thumb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from s2s.config import PRESETS, Recipe
from s2s.data import Preview
from s2s.jobs.plan import expected
from s2s.jobs.plan.calibration import UNCALIBRATED, Calibration
from s2s.jobs.plan.cost import STARTUP_SECONDS, forecast
from s2s.jobs.plan.expected import MeasuredRun
from s2s.jobs.plan.figures import round_down

HANDFUL = 100  # pairs; with fewer every model memorizes, which is what such datasets are for
NATURAL = (
    8.0  # richness between a grammar's sentences (2) and people's (20 to 50), their geometric mean
)
WARMUP_SHARE = 6  # of the run: the preset small warms up for a sixth


@dataclass(frozen=True)
class Recommendation:
    """A preset that fits a text, and why."""

    preset: str
    why: str


def recommend(
    seen: Preview,
    minutes: float,
    calibration: Calibration = UNCALIBRATED,
    known: Sequence[MeasuredRun] | None = None,
) -> Recommendation:
    """The preset that our runs on such texts speak for within these minutes; where they are silent, what its rule of
    thumb says.
    """
    rule = by_rule(seen, minutes)
    known = expected.measured_runs() if known is None else known
    if expected.why_not_comparable(Recipe(), seen):
        return rule
    presets = dict.fromkeys(run.preset for run in known if run.preset in PRESETS)
    speeds = {
        preset: forecast(PRESETS[preset].recipe, seen, calibration).tokens_per_second
        for preset in presets
    }
    ranked = expected.best_presets(seen, speeds, minutes, known)
    if len(ranked) < 2:
        return rule
    (first, most), (second, less), *_ = ranked
    return Recommendation(
        first,
        f"in our runs on the texts most like this one it comes to BLEU {most:.0f} in {minutes:.0f} minutes, {second} to {less:.0f}",
    )


def by_rule(seen: Preview, minutes: float) -> Recommendation:
    """By size and kind of the text alone."""
    if seen.is_plain:
        return _plain(seen.src_characters / max(1, seen.n_pairs))
    if seen.n_pairs < HANDFUL:
        return Recommendation("mini-t5", f"{seen.n_pairs:,} pairs are memorized in seconds")
    if expected.richness(seen) < NATURAL:
        return Recommendation(
            "small",
            f"{seen.tgt_words:,} distinct words in {seen.n_pairs:,} pairs are a simple language",
        )
    if seen.n_pairs >= 1_000_000 and minutes >= 600:
        return Recommendation(
            "transformer-base",
            f"{seen.n_pairs:,} pairs and {minutes / 60:.0f} hours can feed 60 M parameters",
        )
    if seen.n_pairs >= 5000 and minutes >= 20:
        return Recommendation(
            "transformer-tiny",
            f"it was found on 29,000 pairs of real sentences, and {minutes:.0f} minutes are enough",
        )
    return Recommendation(
        "small",
        f"with {seen.n_pairs:,} pairs and {minutes:.0f} minutes a small model gets furthest",
    )


def _plain(mean: float) -> Recommendation:
    """Of texts of so many characters on average."""
    if mean <= PRESETS["char-halves"].recipe.data.max_length:
        return Recommendation(
            "char-halves",
            f"short passages ({mean:.0f} characters on average) can be continued letter by letter",
        )
    return Recommendation(
        "small", "long passages of plain text need subwords, and a small model first"
    )


def fit_to_minutes(
    preset: str, seen: Preview, minutes: float, calibration: Calibration = UNCALIBRATED
) -> dict[str, int]:
    """Steps and warmup of that preset that take these minutes on that dataset here."""
    recipe = PRESETS[preset].recipe
    cost = forecast(recipe, seen, calibration)
    a_step = (cost.seconds - STARTUP_SECONDS) / recipe.train.steps
    steps = max(10, round_down((60 * minutes - STARTUP_SECONDS) / a_step))
    warm = min(recipe.train.warmup_steps, steps // WARMUP_SHARE)
    every = max(1, min(recipe.train.watch.validate_every, steps // 5))
    return {
        "train.steps": steps,
        "train.warmup_steps": warm,
        "train.watch.validate_every": every,
        "train.watch.save_every": every,
    }
