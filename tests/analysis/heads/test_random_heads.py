"""The distribution of random hits, against enumeration and against throwing dice."""

from itertools import product

import numpy as np
import pytest

from s2s.analysis.heads.relations import hit_distribution, random_range


def test_the_distribution_is_that_of_every_outcome_enumerated() -> None:
    chances = [0.1, 0.5, 0.5, 0.9, 1.0, 0.0]
    expected = np.zeros(len(chances) + 1)
    for outcome in product([0, 1], repeat=len(chances)):
        odds = [p if hit else 1 - p for hit, p in zip(outcome, chances, strict=True)]
        expected[sum(outcome)] += np.prod(odds)
    np.testing.assert_allclose(hit_distribution(chances), expected, atol=1e-12)


@pytest.mark.parametrize("best_of", [1, 8])
def test_the_range_holds_95_percent_of_random_heads(best_of: int) -> None:
    rng = np.random.default_rng(0)
    chances = rng.choice([0.1, 0.125, 0.2], 200)
    hits = (rng.random((4_000 * best_of, 200), dtype=np.float32) < chances).mean(-1)
    best = hits.reshape(-1, best_of).max(-1)
    found = random_range(chances.tolist(), best_of=best_of)
    within = ((best >= found.low) & (best <= found.high)).mean()
    assert 0.94 < within < 0.98  # shares of 200 questions are coarse
    assert found.low == pytest.approx(np.quantile(best, 0.025), abs=0.011)
    assert found.high == pytest.approx(np.quantile(best, 0.975), abs=0.011)


def test_the_range_stays_within_0_and_1() -> None:
    assert random_range([1.0, 1.0]) == (1.0, 1.0)
    assert random_range([0.0, 0.0]) == (0.0, 0.0)
    assert random_range([0.5]) == (0.0, 1.0)
    low, high = random_range([0.1] * 5000, best_of=576)
    assert 0.1 < low < high < 0.13
