"""Means of segment scores that are given, not computed: their intervals, and paired tests of two systems.

The resamples and swaps are those of the other scores.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from s2s.scores.resampling import (
    SAMPLES,
    SEED,
    Floats,
    Interval,
    PairedDifference,
    bounds,
    draws,
    paired_difference,
    swaps,
)

Key = TypeVar("Key", bound=Hashable)
Segments = Mapping[Key, Sequence[float]]  # one score per sentence, of several metrics and systems


def mean_intervals(
    given: Segments[Key], *, samples: int = SAMPLES, seed: int = SEED
) -> dict[Key, Interval]:
    """The mean of each with its 95 % bootstrap interval. Raises ValueError where the numbers of sentences differ."""
    if not given:
        return {}
    scores = _columns(given)  # (sentences, keys)
    n = len(scores)
    drawn = np.concatenate([counts @ scores / n for counts in draws(n, samples, seed)])
    means = scores.mean(0)
    found = {}
    for column, key in enumerate(given):
        mean = float(means[column])
        found[key] = Interval(mean, *bounds("", mean, drawn[:, column]))
    return found


def mean_differences(
    ours: Segments[Key], theirs: Segments[Key], *, samples: int = SAMPLES, seed: int = SEED
) -> dict[Key, PairedDifference]:
    """Mean of ours minus mean of theirs, by key: paired bootstrap and approximate randomization.

    Raises ValueError where keys or numbers of sentences differ.
    """
    if list(ours) != list(theirs):
        raise ValueError(f"{[*ours]} cannot be paired with {[*theirs]}")
    if not ours:
        return {}
    gaps = _columns(ours) - _columns(theirs)  # (sentences, keys)
    scales = np.abs(gaps).max(0)
    scales[scales == 0] = 1.0
    gaps /= scales  # equal differences are recognized at any scale
    n = len(gaps)
    drawn = np.concatenate([counts @ gaps / n for counts in draws(n, samples, seed)])
    signs = (1 - 2 * is_swapped for is_swapped in swaps(n, samples, seed))
    swapped = np.concatenate([each @ gaps / n for each in signs])
    means = gaps.mean(0)
    found = {}
    for column, key in enumerate(ours):
        mean = float(means[column])
        pair = paired_difference("", mean, drawn[:, column], swapped[:, column])
        scale = float(scales[column])
        found[key] = replace(
            pair, difference=pair.difference * scale, low=pair.low * scale, high=pair.high * scale
        )
    return found


def _columns(given: Segments[Key]) -> Floats:
    lengths = {len(values) for values in given.values()}
    if len(lengths) > 1 or lengths == {0}:
        raise ValueError(f"segment scores of {sorted(lengths)} sentences cannot be paired")
    return np.array([*given.values()], np.float64).T
