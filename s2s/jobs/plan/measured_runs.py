"""Our own measured runs, from which quality is predicted, and those on datasets like another one."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import s2s
from s2s.data import Preview
from s2s.files import from_json
from s2s.jobs.plan.dataset_similarity import (
    RICHNESS,
    SIZES,
    Traits,
    differences,
    richness,
    traits_of,
    within,
)

# `python -m s2s.demo measured` writes it
MEASURED_FILE = Path(s2s.__file__).parent / "demo" / "measured.json"


@dataclass(frozen=True)
class ValidationPoint:
    """One validation of a measured run. `tokens` are those of all batches so far, on the longer side, padding included.

    A run of quick is one point, its end; its `tokens` are those that small would have read in its minutes there.
    """

    step: int
    minutes: float
    tokens: int
    loss: float
    token_accuracy: float
    bleu: float | None = None
    chrf: float | None = None


@dataclass(frozen=True)
class MeasuredRun:
    """One of our own runs. `richness` is that of its dataset: how fast the vocabulary grows."""

    text: str
    like: str  # its kind of dataset, for people
    preset: str
    n_pairs: int
    richness: float
    parameters: int
    traits: Traits
    points: tuple[ValidationPoint, ...]

    def bleu_at(self, tokens: float) -> float | None:
        """BLEU after this many tokens, interpolated linearly between validations; the last value beyond the last one.

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
        return self.points[-1].tokens


def alike(known: Sequence[MeasuredRun], preview: Preview) -> list[MeasuredRun]:
    """The runs on the kind of dataset that this one is like; of several the kind of the nearest richness."""
    kinds = [runs for runs, unlike in _compared(known, preview) if not unlike]
    rich = richness(preview)
    return min(
        kinds,
        key=lambda runs: min(abs(math.log(run.richness / rich)) for run in runs),
        default=[],
    )


def why_unlike(known: Sequence[MeasuredRun], preview: Preview) -> str:
    """One sentence on what distinguishes a dataset from those of our runs; empty where it is like some of them."""
    if not known or alike(known, preview):
        return ""
    runs, unlike = min(_compared(known, preview), key=lambda row: len(row[1]))
    return (
        f"No BLEU is expected, as none of our measured runs is like this dataset: compared with {runs[0].like},"
        f" {'; '.join(unlike[:2])}. Only the time is known; watch the validation loss."
    )


def _compared(
    known: Sequence[MeasuredRun], preview: Preview
) -> list[tuple[list[MeasuredRun], list[str]]]:
    kinds: dict[str, list[MeasuredRun]] = {run.like: [] for run in known}
    for run in known:
        kinds[run.like].append(run)
    own = traits_of(preview)
    return [(runs, _unlike(own, preview, runs)) for runs in kinds.values()]


def _unlike(own: Traits, preview: Preview, runs: Sequence[MeasuredRun]) -> list[str]:
    n_pairs = preview.n_pairs
    nearest = min(runs, key=lambda run: abs(math.log(run.n_pairs / max(1, n_pairs))))
    found = differences(own, nearest.traits)
    if not within(richness(preview), nearest.richness, RICHNESS):
        amount = "more" if richness(preview) > nearest.richness else "fewer"
        found.append(f"its targets have far {amount} distinct words")
    sizes = [run.n_pairs for run in runs]
    if n_pairs > SIZES * max(sizes):
        found.append(f"it has {n_pairs:,} pairs, theirs at most {max(sizes):,}")
    if n_pairs < min(sizes) / SIZES:
        found.append(f"it has {n_pairs:,} pairs, theirs at least {min(sizes):,}")
    return found


def read_measured(path: Path = MEASURED_FILE) -> dict[str, Any]:
    """The content of the file: `{"runs": [...]}`."""
    return dict(json.loads(path.read_bytes())) if path.is_file() else {"runs": []}


@functools.cache
def measured_runs() -> tuple[MeasuredRun, ...]:
    """Our own runs; none where the file is missing."""
    return from_json(tuple[MeasuredRun, ...], read_measured()["runs"])
