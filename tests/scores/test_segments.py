"""Means of given segment scores are treated as those that are computed: ROUGE-L is the mean of its segment scores."""

import numpy as np
import pytest

from s2s.scores import all_sentence_scores, intervals, mean_differences, mean_intervals, paired
from tests.scores.pairs import hypotheses, pairs

TEXTS, REFERENCES = pairs(60, 2)
OTHERS = hypotheses(REFERENCES, 3)
OURS, THEIRS = (
    [row["rouge_l"] for row in all_sentence_scores(texts, REFERENCES)] for texts in (TEXTS, OTHERS)
)


def test_a_mean_has_the_interval_of_a_score_that_is_a_mean() -> None:
    found = mean_intervals({"ours": OURS, "theirs": THEIRS})
    expected = intervals(TEXTS, REFERENCES, names=["rouge_l"])["rouge_l"]
    assert vars(found["ours"]) == pytest.approx(vars(expected))
    assert found["theirs"].value == pytest.approx(np.mean(THEIRS))
    assert mean_intervals({}) == {}


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e7])
def test_differences_of_means_are_tested_alike_at_any_scale(scale: float) -> None:
    ours, theirs = ({"a": [value * scale for value in values]} for values in (OURS, THEIRS))
    pair = mean_differences(ours, theirs)["a"]
    expected = paired(TEXTS, OTHERS, REFERENCES, names=["rouge_l"])["rouge_l"]
    assert pair.difference / scale == pytest.approx(expected.difference)
    assert pair.low / scale == pytest.approx(expected.low)
    assert pair.high / scale == pytest.approx(expected.high)
    assert pair.p_value == expected.p_value
    assert pair.p_randomization == expected.p_randomization


def test_equal_systems_do_not_differ() -> None:
    pair = mean_differences({"a": OURS}, {"a": OURS})["a"]
    assert (pair.difference, pair.low, pair.high) == (0, 0, 0)
    assert pair.p_randomization == pair.p_value == 1
    assert mean_differences({}, {}) == {}


def test_other_sentences_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="cannot be paired"):
        mean_differences({"a": OURS}, {"b": OURS})
    with pytest.raises(ValueError, match="cannot be paired"):
        mean_intervals({"a": OURS, "b": OURS[:3]})
