import itertools
import math

import numpy as np
import pytest

from s2s.analysis import heads
from s2s.analysis.correlation import correlation
from s2s.analysis.heads.rank_agreement import kendall


def tau(x: list[float], y: list[float]) -> float:
    """Kendall's tau-b by counting pairs."""
    concordant = discordant = tied_x = tied_y = 0
    for i, j in itertools.combinations(range(len(x)), 2):
        dx = x[i] - x[j]
        dy = y[i] - y[j]
        concordant += dx * dy > 0
        discordant += dx * dy < 0
        tied_x += dx == 0
        tied_y += dy == 0
    n_pairs = math.comb(len(x), 2)
    return (concordant - discordant) / math.sqrt((n_pairs - tied_x) * (n_pairs - tied_y))


def test_kendall_counts_pairs() -> None:
    generator = np.random.default_rng(0)
    for length in (3, 5, 9):
        x, y = generator.integers(0, 4, (2, length)).astype(float)
        x[0], y[1] = 9, 9
        assert kendall(x, y) == pytest.approx(tau(x.tolist(), y.tolist()))
    ranked = np.arange(5.0)
    assert kendall(ranked, ranked**3) == pytest.approx(1)
    assert kendall(ranked, -ranked) == pytest.approx(-1)


def test_kendall_of_published_numbers() -> None:
    # R's cor(c(12,2,1,12,2), c(1,4,7,1,0), method="kendall"), which SciPy's documentation also gives
    assert kendall(np.array([12.0, 2, 1, 12, 2]), np.array([1.0, 4, 7, 1, 0])) == pytest.approx(
        -0.47140452079103173
    )


def test_rows_are_compared_one_by_one() -> None:
    generator = np.random.default_rng(1)
    one = generator.random((4, 6))
    other = generator.random((3, 6))  # a map without a row for the last token
    other[1] = 0.5
    found = heads.rank_agreement(one, other)
    for row in (0, 2):
        expected = correlation(list(one[row]), list(other[row]))
        assert expected is not None
        assert found.spearman[row] == pytest.approx(expected.spearman)
        assert found.kendall[row] == pytest.approx(tau(list(one[row]), list(other[row])))
    assert np.isnan(found.spearman[1])
    assert np.isnan(found.kendall[1])
    assert found.n == 2
    assert found.mean_kendall == pytest.approx(found.kendall[[0, 2]].mean())
    assert found.mean_spearman == pytest.approx(found.spearman[[0, 2]].mean())


def test_nothing_to_rank_has_no_correlation() -> None:
    short = heads.rank_agreement([[0.1, 0.9]], [[0.2, 0.8]])
    assert short.n == 0
    assert math.isnan(short.mean_spearman)
    assert math.isnan(short.kendall[0])
    with pytest.raises(ValueError, match="cannot be compared"):
        heads.rank_agreement([[1, 2, 3]], [[1, 2]])
