import numpy as np
import pandas as pd
import pytest

from s2s.analysis.correlation import correlation, ranks


def test_correlations_are_those_of_pandas_ties_included() -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(0, 6, 200).astype(float)
    y = x + rng.normal(size=200).round(1)
    found = correlation(list(x), list(y))
    assert found
    one, other = pd.Series(x), pd.Series(y)
    assert found.pearson == pytest.approx(one.corr(other))
    assert found.spearman == pytest.approx(one.rank().corr(other.rank()))
    assert list(ranks(x)) == list(one.rank())


@pytest.mark.parametrize(("x", "y"), [([], []), ([1, 2], [2, 1]), ([1, 1, 1], [1, 2, 3])])
def test_where_nothing_varies_there_is_no_correlation(x: list[float], y: list[float]) -> None:
    assert correlation(x, y) is None
    assert correlation(y, x) is None


def test_other_sentences_cannot_be_correlated() -> None:
    with pytest.raises(ValueError, match="2 scores"):
        correlation([1, 2], [1])
