"""Principal components: states on two axes. Arrays in, arrays out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from s2s.analysis.states import Vectors

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Projection:
    """Points (n, 2), and the share of the total variance, 0 to 1, that each axis explains."""

    points: Floats
    shares: tuple[float, float]


def principal_components(vectors: Vectors) -> Projection:
    """The first two principal components (Pearson 1901) of (n, d_model), centered but not scaled, by SVD.

    The sign of an axis is arbitrary: here its number of largest size is positive. With fewer than three distinct
    vectors, the second axis or both are 0.
    """
    centered = vectors.astype(np.float64) - vectors.mean(0, dtype=np.float64)
    u, sizes, _ = np.linalg.svd(centered, full_matrices=False)
    n = min(2, len(sizes))
    points = np.zeros((len(vectors), 2))
    points[:, :n] = u[:, :n] * sizes[:n]
    largest = points[np.abs(points).argmax(0), [0, 1]]  # (2,), of each axis
    signs = np.where(largest < 0, -1.0, 1.0)

    variances = np.zeros(2)
    variances[:n] = sizes[:n] ** 2
    total = float((sizes**2).sum())
    first, second = (variances / total if total > 0 else variances).tolist()
    return Projection(points * signs, (first, second))
