"""How scores are counted: what is shown adds up to what the libraries say."""

from functools import cache

import pytest

from s2s.scores import (
    Scoring,
    all_sentence_scores,
    breakdown,
    sentence_scores_of,
    statistics,
)
from tests.scores.pairs import pairs


@cache
def scored() -> list[tuple[str, str, dict[str, float]]]:
    """Pairs and their scores."""
    hypotheses, references = pairs(250, 5)
    found = all_sentence_scores(hypotheses, references)
    return list(zip(hypotheses, references, found, strict=True))


def test_bleu_adds_up() -> None:
    for hypothesis, reference, scores in scored():
        found = breakdown.bleu(hypothesis, reference)
        assert found.score == pytest.approx(scores["bleu"])
        assert found.arithmetic.endswith(f"= {scores['bleu']:.3g}")
        for order in found.orders:
            assert order.n_hypothesis == len(found.hypothesis) - order.n + 1
            assert order.n_shared <= min(order.n_hypothesis, order.n_reference)


def test_bleu_clips_and_punishes_brevity() -> None:
    found = breakdown.bleu("the the the cat.", "The cat sat on the mat, the end.")
    assert found.hypothesis == ("the", "the", "the", "cat", ".")
    words = {
        gram.text: (gram.n_hypothesis, gram.n_reference, gram.n_shared)
        for gram in found.orders[0].grams
    }
    assert words["the"] == (3, 2, 2)
    assert words["The"] == (0, 1, 0)
    assert found.precisions[:2] == pytest.approx(
        (100 * 4 / 5, 100 * 0.5 / 4)
    )  # "cat ." stands nowhere: half a match
    assert found.brevity_penalty == pytest.approx(2.718281828459045 ** (1 - 10 / 5))


def test_other_ways_of_counting_add_up_too() -> None:
    hypotheses = ["Die Katze schläft.", "猫坐在垫子上", "A Dog"]
    references = ["die KATZE schläft .", "那只猫坐在垫子上", "a dog runs"]
    for tokenizer, lowercase in (("char", True), ("zh", False), ("none", True), ("intl", False)):
        scoring = Scoring(tokenizer, lowercase)
        counted = statistics(hypotheses, references, names=("bleu", "chrf"), scoring=scoring)
        scores = sentence_scores_of(counted)
        for hypothesis, reference, found in zip(hypotheses, references, scores, strict=True):
            bleu = breakdown.bleu(hypothesis, reference, scoring)
            assert bleu.score == pytest.approx(found["bleu"])
            chrf = breakdown.chrf(hypothesis, reference, scoring)
            assert chrf.score == pytest.approx(found["chrf"])


def test_chrf_adds_up() -> None:
    for hypothesis, reference, scores in scored():
        found = breakdown.chrf(hypothesis, reference)
        assert found.score == pytest.approx(scores["chrf"])
        assert found.arithmetic.endswith(f"= {scores['chrf']:.3g}")
    assert [order.n for order in breakdown.chrf("le chat", "la").used] == [1, 2]
    assert breakdown.chrf("le chat", "la").orders[0].precision == pytest.approx(100 * 2 / 6)


@pytest.mark.parametrize("n", [1, 2])
def test_rouge_adds_up(n: int) -> None:
    for hypothesis, reference, scores in scored():
        assert breakdown.rouge(hypothesis, reference, n).f1 == pytest.approx(scores[f"rouge_{n}"])


def test_rouge_l_marks_the_same_words_in_both() -> None:
    for hypothesis, reference, scores in scored():
        found = breakdown.rouge_l(hypothesis, reference)
        assert found.score == pytest.approx(scores["rouge_l"])
        assert [found.hypothesis[i] for i in found.in_hypothesis] == [
            found.reference[i] for i in found.in_reference
        ]
        assert list(found.in_reference) == sorted(set(found.in_reference))
    assert breakdown.rouge_l("A x b c", "a b y c").in_hypothesis == (0, 2, 3)
