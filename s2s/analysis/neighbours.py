"""Which states point the same way: cosines of two, of many, and the nearest of many. Arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from s2s.analysis.states import Vectors

Floats = npt.NDArray[np.float64]
TINY = 1e-12  # a vector of zeros has no direction, and a cosine of 0 with all


def unit(vectors: Vectors) -> Vectors:
    """Each divided by its length: (..., d_model)."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    directed: Vectors = vectors / np.maximum(lengths, TINY)
    return directed


def cosines(one: Vectors, other: Vectors) -> Floats:
    """Of vectors that stand in the same place, -1 to 1: (..., d_model) twice -> (...)."""
    found: Floats = (unit(one) * unit(other)).sum(-1, dtype=np.float64)
    return found


def strangers(texts: Sequence[Vectors]) -> Floats:
    """The mean cosine of two words of different texts, over all such pairs: each (layers, words, d_model) -> (layers,).

    NaN where there are no two texts. How alike any two states of a layer are: without it, no single cosine can be read.
    """
    directed = [unit(text).astype(np.float64) for text in texts]
    sums = np.stack([text.sum(1) for text in directed])  # (texts, layers, d_model)
    counts = np.array([text.shape[1] for text in directed])
    n_pairs = counts.sum() ** 2 - (counts**2).sum()
    together = (sums.sum(0) ** 2).sum(-1) - (sums**2).sum(
        (0, 2)
    )  # the pairs within a text are taken out again
    if not n_pairs:
        return np.full(sums.shape[1], np.nan)
    mean: Floats = together / n_pairs
    return mean


class Near(NamedTuple):
    """One of an index' rows, and its cosine."""

    row: int
    cosine: float


@dataclass(frozen=True)
class Index:
    """Directions (n, d_model) to search in, and the number of the text that each is from."""

    directions: Vectors
    texts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, vectors: Sequence[Vectors]) -> Index:
        """From each text's (rows, d_model)."""
        owners = np.repeat(np.arange(len(vectors)), [len(rows) for rows in vectors])
        return cls(unit(np.concatenate(vectors)), owners)

    def nearest(self, vector: Vectors, n: int, *, without: int | None = None) -> list[Near]:
        """The `n` rows of the highest cosine, exactly, the first of equals first; none of the text `without`."""
        cosine = self.directions @ unit(vector)  # (rows,)
        if without is not None:
            cosine = np.where(self.texts == without, -np.inf, cosine)
        order = np.argsort(-cosine, kind="stable")[:n]
        return [Near(int(row), float(cosine[row])) for row in order if np.isfinite(cosine[row])]
