"""Rows of a test set: what they say of a sentence, and the orders that they can be read in."""

from collections import Counter
from dataclasses import replace

import pytest

from s2s.analysis.sentence_table import (
    SORTS,
    Rarest,
    length_ratio,
    rarest,
    score_gains,
    sentence_rows,
    sort_rows,
    worst_first,
)
from s2s.scores import METRICS, sentence_scores
from s2s.words import MetricName
from tests.scores.pairs import hypotheses, pairs

SOURCES = ["the cat sleeps", "a dog and a cat eat", "", "two very old friends sell bread"]
REFERENCES = ["le chat dort", "un chien et un chat mangent", "", "deux vieux amis vendent du pain"]
FOUND = ["le chat dort", "un chat", "", "deux amis deux amis deux amis vendent"]
COUNTS = Counter("the cat sleeps a dog and a cat eat the the bread".split())
ROWS = sentence_rows(
    SOURCES,
    REFERENCES,
    FOUND,
    log_probs=[-0.4, -9.0, 0.0, -16.0],
    ranked=[-0.1, -2.0, 0.0, -1.0],
    counts=COUNTS,
)


def test_a_row_holds_what_is_known_of_a_sentence() -> None:
    first, second, empty, last = ROWS
    assert (first.number, first.source, first.reference, first.hypothesis) == (
        1,
        SOURCES[0],
        REFERENCES[0],
        FOUND[0],
    )
    assert first.scores == sentence_scores(FOUND[0], REFERENCES[0])
    assert (first.log_prob, first.score, first.log_prob_per_word) == (
        -0.4,
        -0.1,
        pytest.approx(-0.1),
    )
    assert (second.n_source, second.n_hypothesis, second.expected) == (6, 2, 6.0)
    assert (empty.expected, empty.rarest, empty.length_ratio, empty.flags) == (None, None, None, ())
    assert [flag.rule for flag in second.flags] == ["short"]
    assert [flag.rule for flag in last.flags] == ["loops"]
    assert last.repeated == "deux amis deux amis"


def test_the_rarest_word_is_the_one_that_training_had_least() -> None:
    assert [row.rarest for row in ROWS] == [
        Rarest("sleeps", 1),
        Rarest("dog", 1),
        None,
        Rarest("two", 0),
    ]
    assert rarest("cafe\u0301", {"café": 3}) == Rarest("café", 3)
    assert sentence_rows(SOURCES, REFERENCES, FOUND)[0].rarest is None


def test_expected_lengths_come_from_the_median_ratio_of_the_test_set() -> None:
    assert length_ratio(["a", "a b", "a b", ""], ["a b", "a b c d", "a", "a b c"]) == 2.0
    assert length_ratio([""], ["a"]) is None


def test_scores_that_are_known_are_taken() -> None:
    known = [sentence_scores("x", "y") | {"chrf": 50.0 + number} for number in range(4)]
    assert [row.scores for row in sentence_rows(SOURCES, REFERENCES, FOUND, scored=known)] == known
    with pytest.raises(ValueError, match="shorter"):
        sentence_rows(SOURCES, REFERENCES, FOUND, scored=known[:3])
    assert sentence_rows([], [], []) == []


@pytest.mark.parametrize("score", METRICS)
def test_a_gain_is_positive_where_ours_is_better(score: str) -> None:
    _, references = pairs(30, 8)
    ours, theirs = (
        sentence_rows(references, references, texts)
        for texts in (references, hypotheses(references, 9))
    )
    assert min(score_gains(ours, theirs, METRICS[score])) == 0
    assert max(score_gains(ours, theirs, METRICS[score])) > 0
    assert score_gains(theirs, ours, METRICS[score]) == [
        -one for one in score_gains(ours, theirs, METRICS[score])
    ]
    with pytest.raises(ValueError, match="two test sets"):
        score_gains(ours, ROWS, METRICS[score])


def test_rows_come_in_the_order_of_their_keys_and_without_one_last() -> None:
    for sort in SORTS:
        for is_reversed in (False, True):
            keys = [
                SORTS[sort].key(row)
                for row in sort_rows(ROWS, SORTS[sort], is_reversed=is_reversed)
            ]
            known = [key for key in keys if key is not None]
            assert keys[: len(known)] == sorted(
                known, reverse=SORTS[sort].is_descending != is_reversed
            )
        assert sorted(row.number for row in sort_rows(ROWS, SORTS[sort])) == [1, 2, 3, 4]
        bare = sentence_rows(SOURCES, REFERENCES, FOUND)
        if all(SORTS[sort].key(row) is None for row in bare):
            assert sort_rows(bare, SORTS[sort]) == bare


@pytest.mark.parametrize(("better", "first"), [("higher", 2), ("lower", 3)])
def test_any_metric_is_an_order_from_its_worst_sentence(better: str, first: int) -> None:
    metric = MetricName("human", "human", "", "", better)
    values = [2.0, 1.0, 3.0]
    rows = [replace(row, scores={"human": value}) for row, value in zip(ROWS, values, strict=False)]
    order = worst_first(metric)
    found = sort_rows([*rows, ROWS[3]], order)
    assert found[0].number == first
    assert found[-1].number == 4  # it has no score
    better_first = -1 if better == "lower" else 1
    assert score_gains(rows[:1], [replace(rows[0], scores={"human": 1.5})], metric) == [
        0.5 * better_first
    ]


def test_sorting_puts_the_most_interesting_first() -> None:
    assert sort_rows(ROWS, SORTS["chrf"])[-1].number == 1
    assert sort_rows(ROWS, SORTS["stretch"])[0].number == 2
    assert sort_rows(ROWS, SORTS["log_prob"])[0].number == 2
    assert [row.number for row in sort_rows(ROWS, SORTS["rarest"])] == [4, 1, 2, 3]
