"""Cosine similarity of states, and nearest neighbors. Arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from s2s.analysis.states import Vectors

Floats = npt.NDArray[np.float64]
TINY = 1e-12  # a vector of zeros has no direction: its cosine with every other is 0


def unit(vectors: Vectors) -> Vectors:
    """Each scaled to length 1: (..., d_model)."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    directions: Vectors = vectors / np.maximum(lengths, TINY)
    return directions


def cosines(one: Vectors, other: Vectors) -> Floats:
    """Elementwise over the leading axes, -1 to 1: (..., d_model) twice -> (...)."""
    cosine: Floats = (unit(one) * unit(other)).sum(-1, dtype=np.float64)
    return cosine


def baseline_cosines(texts: Sequence[Vectors]) -> Floats:
    """Mean cosine of two words of different texts, over all such pairs: each (layers, words, d_model) -> (layers,).

    The baseline without which no single cosine can be interpreted. NaN where there are no two texts.
    """
    directions = [unit(text).astype(np.float64) for text in texts]
    sums = np.stack([text.sum(1) for text in directions])  # (texts, layers, d_model)
    counts = np.array([text.shape[1] for text in directions])
    n_pairs = counts.sum() ** 2 - (counts**2).sum()
    if not n_pairs:
        return np.full(sums.shape[1], np.nan)
    all_pairs = (sums.sum(0) ** 2).sum(-1)  # (layers,)
    same_text = (sums**2).sum((0, 2))  # (layers,)
    mean: Floats = (all_pairs - same_text) / n_pairs
    return mean


class Neighbor(NamedTuple):
    """A row of an index, and its cosine with the query."""

    row: int
    cosine: float


@dataclass(frozen=True)
class Index:
    """Directions (n, d_model) to search, and the index of the text that each comes from."""

    directions: Vectors
    texts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, vectors: Sequence[Vectors]) -> Index:
        """Build it from each text's (rows, d_model)."""
        n_rows = [len(rows) for rows in vectors]
        texts = np.repeat(np.arange(len(vectors)), n_rows)
        return cls(unit(np.concatenate(vectors)), texts)

    def nearest(self, vector: Vectors, n: int, *, without: int | None = None) -> list[Neighbor]:
        """The `n` rows of highest cosine, by exact search, equals in order; rows of the text `without` are left out."""
        cosine = self.directions @ unit(vector)  # (rows,)
        if without is not None:
            cosine = np.where(self.texts == without, -np.inf, cosine)
        order = np.argsort(-cosine, kind="stable")[:n]
        return [Neighbor(int(row), float(cosine[row])) for row in order if np.isfinite(cosine[row])]
