"""Many dimensions on a page: the two directions in which states differ most. Arrays in, arrays out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from s2s.analysis.states import Vectors

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Projection:
    """(n, 2) places, and the share of all variance, 0 to 1, that each of the two axes holds."""

    points: Floats
    shares: tuple[float, float]


def principal(vectors: Vectors) -> Projection:
    """Principal components (Pearson 1901) of (n, d_model), without scaling, by a singular value decomposition.

    An axis may point either way: here the number that is largest in size is positive. Fewer than three different vectors
    leave the second axis, or both, at 0.
    """
    centred = vectors.astype(np.float64) - vectors.mean(0, dtype=np.float64)
    u, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    points = np.zeros((len(vectors), 2))
    variances = np.zeros(2)
    n = min(2, len(sizes))
    points[:, :n], variances[:n] = u[:, :n] * sizes[:n], sizes[:n] ** 2
    largest = points[np.abs(points).argmax(0), [0, 1]]
    total = float((sizes**2).sum())
    shares = variances / total if total > 0 else variances
    return Projection(
        points * np.where(largest < 0, -1.0, 1.0), (float(shares[0]), float(shares[1]))
    )
