"""How far two scores agree on the sentences of a test set. Knows nothing of metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Correlation(NamedTuple):
    """Two correlations, from -1 to 1: `pearson` of the values, `spearman` of their ranks."""

    pearson: float
    spearman: float


def correlation(x: Sequence[float], y: Sequence[float]) -> Correlation | None:
    """How far two lists of scores agree; None for fewer than three sentences, or if one list is constant.

    Raises ValueError where the numbers of sentences differ.
    """
    if len(x) != len(y):
        raise ValueError(f"{len(x)} scores cannot be correlated with {len(y)}")
    one = np.asarray(x, np.float64)
    other = np.asarray(y, np.float64)
    if len(one) < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return Correlation(pearson=_pearson(one, other), spearman=_pearson(ranks(one), ranks(other)))


def _pearson(x: Floats, y: Floats) -> float:
    return float(_centered_unit(x) @ _centered_unit(y))


def _centered_unit(values: Floats) -> Floats:
    centered = values - values.mean()
    scaled: Floats = centered / np.linalg.norm(centered)
    return scaled


def ranks(values: Floats) -> Floats:
    """The rank of each value, from 1; equal values share the mean of their ranks: `[5, 7, 5]` -> `[1.5, 3, 1.5]`."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    shared: Floats = (last - (counts - 1) / 2)[place]
    return shared
