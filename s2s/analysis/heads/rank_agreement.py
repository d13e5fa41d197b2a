"""How far two maps of one sentence rank its source tokens alike: rank correlations per target token.

Arrays in, arrays out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from s2s.analysis.alignment import Floats
from s2s.analysis.correlation import correlation


@dataclass(frozen=True)
class RankAgreement:
    """Rank correlations, -1 to 1, of each row of two maps: (rows,); NaN where one is not defined.

    It is not for fewer than three columns, and not where all values of a row are equal.
    """

    spearman: Floats
    kendall: Floats  # tau-b, which takes account of ties

    @property
    def n(self) -> int:
        return int(np.isfinite(self.spearman).sum())

    @property
    def mean_spearman(self) -> float:
        """The mean of the rows' Spearman correlations that are defined; NaN without any."""
        return _mean(self.spearman)

    @property
    def mean_kendall(self) -> float:
        return _mean(self.kendall)


def rank_agreement(one: npt.ArrayLike, other: npt.ArrayLike) -> RankAgreement:
    """The rank correlations of two (rows, columns) maps, row by row; the shorter one's rows are the other's first.

    Raises ValueError for another number of columns.
    """
    first = np.asarray(one, np.float64)
    second = np.asarray(other, np.float64)
    if first.shape[1:] != second.shape[1:]:
        raise ValueError(f"maps of shapes {first.shape} and {second.shape} cannot be compared")
    pairs = list(zip(first, second, strict=False))
    found = [correlation(list(x), list(y)) for x, y in pairs]
    return RankAgreement(
        np.array([np.nan if row is None else row.spearman for row in found]),
        np.array([kendall(x, y) for x, y in pairs]),
    )


def kendall(x: Floats, y: Floats) -> float:
    """Kendall's tau-b (1945): concordant minus discordant pairs over all that are tied in neither, by geometric mean.

    NaN as `RankAgreement` says.
    """
    one = np.sign(x[:, None] - x)  # (n, n), antisymmetric: each pair counts twice everywhere
    other = np.sign(y[:, None] - y)
    untied = (one != 0).sum() * (other != 0).sum()
    if len(x) < 3 or not untied:
        return float("nan")
    return float((one * other).sum() / np.sqrt(float(untied)))


def _mean(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else float("nan")
