"""Which preset fits a dataset and a time budget: by our own measured runs, else by a rule of thumb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from s2s.config import PRESETS, Recipe
from s2s.data import Preview
from s2s.jobs.plan import expected
from s2s.jobs.plan.calibration import UNCALIBRATED, Calibration
from s2s.jobs.plan.cost import forecast
from s2s.jobs.plan.dataset_similarity import richness
from s2s.jobs.plan.measured_runs import MeasuredRun, measured_runs
from s2s.jobs.plan.time_budget import QUICK, reference_tokens_per_second

HANDFUL = 100  # pairs; with fewer, every model memorizes, which is the purpose of such datasets
# Pairs, and words on a side, that a model of two numbers per word can memorize.
FEWEST = 3
SHORT = 3
NATURAL = 8.0  # geometric mean of the richness of a grammar's sentences (2) and of natural text (20 to 50)


@dataclass(frozen=True)
class Recommendation:
    """A preset that fits a dataset, and why."""

    preset: str
    why: str


def recommend(
    preview: Preview,
    minutes: float,
    calibration: Calibration = UNCALIBRATED,
    known: Sequence[MeasuredRun] | None = None,
) -> Recommendation:
    """The preset that was best in our runs on similar datasets within these minutes; else by rule of thumb."""
    rule = by_rule(preview, minutes)
    known = measured_runs() if known is None else known
    if expected.why_not_comparable(Recipe(), preview):
        return rule
    presets = dict.fromkeys(run.preset for run in known if run.preset in PRESETS)
    speeds = {
        preset: reference_tokens_per_second(0, preview, calibration)
        if preset == QUICK
        else forecast(PRESETS[preset].recipe, preview, calibration).tokens_per_second
        for preset in presets
    }
    ranked = expected.best_presets(preview, speeds, minutes, known)
    if len(ranked) < 2 or (rule.preset == QUICK and QUICK not in presets):
        return rule
    (first, most), (second, less), *_ = ranked
    return Recommendation(
        first,
        "with its own settings, in our runs on such datasets, it reaches BLEU"
        f" {most:.0f} in {minutes:.0f} minutes,"
        f" {second} reaches {less:.0f}",
    )


def by_rule(preview: Preview, minutes: float) -> Recommendation:
    """The preset that fits by the size and kind of the dataset and the minutes, without any measured run."""
    if preview.is_plain:
        return _plain(preview.src_characters / max(1, preview.n_pairs))
    if preview.n_pairs < HANDFUL:
        return _handful(preview)
    if richness(preview) < NATURAL:
        return Recommendation(
            "small",
            f"{preview.tgt_words:,} distinct words in {preview.n_pairs:,} pairs are a simple language",
        )
    if preview.n_pairs >= 1_000_000 and minutes >= 600:
        return Recommendation(
            "transformer-base",
            f"{preview.n_pairs:,} pairs and {minutes / 60:.0f} hours are enough for 60 M parameters",
        )
    if preview.n_pairs >= 5000:
        return Recommendation(
            QUICK,
            f"it chooses its sizes for {preview.n_pairs:,} pairs of natural sentences and {minutes:.0f}"
            f" minute{'s' * (minutes != 1)}, and ends on time",
        )
    return Recommendation(
        "small",
        f"with {preview.n_pairs:,} pairs and {minutes:.0f} minutes, a small model is best",
    )


def _handful(preview: Preview) -> Recommendation:
    if preview.n_pairs <= FEWEST and max(preview.src_longest, preview.tgt_longest) <= SHORT:
        return Recommendation(
            "first-steps",
            f"{preview.n_pairs:,} short pairs need no more than a model that can be followed by hand",
        )
    return Recommendation("mini-t5", f"{preview.n_pairs:,} pairs are memorized in seconds")


def _plain(mean: float) -> Recommendation:
    if mean <= PRESETS["char-halves"].recipe.data.max_length:
        return Recommendation(
            "char-halves",
            f"short passages ({mean:.0f} characters on average) can be continued character by character",
        )
    return Recommendation(
        "small", "long passages of plain text need subwords, and a small model first"
    )
