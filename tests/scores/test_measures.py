"""What texts are like, whether right or not."""

from collections import Counter

import pytest

from s2s.scores import MEASURES
from s2s.scores.measures import grams, repeated
from tests.scores.pairs import pairs

HYPOTHESES, REFERENCES = pairs(40, 1)


def value(name: str, hypotheses: list[str], references: list[str]) -> float:
    return MEASURES[name].compute(hypotheses, references).value


@pytest.mark.parametrize(("name", "n"), [("distinct_1", 1), ("distinct_2", 2)])
def test_distinct_counts_an_n_gram_of_the_whole_output_once(name: str, n: int) -> None:
    assert value(name, ["a b a b", "a b"], ["", ""]) == pytest.approx(
        100 * (2 / 6 if n == 1 else 2 / 4)
    )
    assert value(name, ["a b c", "d e f"], ["", ""]) == 100.0
    counts = Counter(
        gram
        for text in HYPOTHESES
        for gram in zip(*(text.split()[i:] for i in range(n)), strict=False)
    )
    assert value(name, HYPOTHESES, REFERENCES) == pytest.approx(100 * len(counts) / counts.total())


def test_the_length_ratio_is_of_all_words_together() -> None:
    assert value("length_ratio", ["a b c", "d"], ["a", "b"]) == 2.0
    assert value("length_ratio", REFERENCES, REFERENCES) == 1.0
    assert value("length_ratio", ["a"], [""]) == 0.0


def test_repetition_is_the_share_of_pairs_that_stood_there_before() -> None:
    assert repeated("a a a a a") == pytest.approx(3 / 4)
    assert repeated("a b c a b") == pytest.approx(1 / 4)
    assert [repeated(text) for text in ("", "a", "a b", "a b c d")] == [0.0] * 4
    assert value("repetition", ["a a a a a", "a b c"], ["", ""]) == pytest.approx(100 * 3 / 8)


@pytest.mark.parametrize("name", MEASURES)
def test_measures_know_no_words_too(name: str) -> None:
    assert value(name, ["", ""], ["", ""]) == 0.0
    assert "|" in MEASURES[name].compute([""], [""]).signature


def test_grams_are_runs_of_words() -> None:
    assert grams("a b  c", 2) == [("a", "b"), ("b", "c")]
    assert grams("a", 2) == []
