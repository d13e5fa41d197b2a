"""Scores of single sentences."""

import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from s2s.scores import (
    METRICS,
    SENTENCE_METRICS,
    all_sentence_scores,
    sentence_scores,
    sentence_scores_of,
    sentence_signature,
    statistics,
)
from tests.scores.pairs import pairs

HYPOTHESES, REFERENCES = pairs(60, 4)


def test_a_sentence_has_the_scores_that_the_fields_libraries_give_it() -> None:
    metrics = {"bleu": BLEU(effective_order=True), "chrf": CHRF(), "ter": TER()}
    for hypothesis, reference, found in zip(
        HYPOTHESES, REFERENCES, all_sentence_scores(HYPOTHESES, REFERENCES), strict=True
    ):
        theirs = {
            name: metric.sentence_score(hypothesis, [reference]).score
            for name, metric in metrics.items()
        }
        theirs |= {
            name: METRICS[name].compute([hypothesis], [reference]).value
            for name in METRICS
            if name not in metrics
        }
        assert found == pytest.approx(theirs)


def test_one_sentence_is_scored_as_among_many() -> None:
    found = sentence_scores(HYPOTHESES[7], REFERENCES[7])
    assert found == all_sentence_scores(HYPOTHESES, REFERENCES)[7]
    assert tuple(found) == SENTENCE_METRICS


def test_sentences_that_are_counted_already_are_not_counted_again() -> None:
    assert sentence_scores_of(statistics(HYPOTHESES, REFERENCES)) == all_sentence_scores(
        HYPOTHESES, REFERENCES
    )
    assert sentence_scores_of(statistics(["a b"], ["a b"], names=["ter", "distinct_1"])) == [
        {"ter": 0.0}
    ]


def test_a_short_sentence_can_have_full_marks() -> None:
    assert sentence_scores("oui", "oui")["bleu"] == pytest.approx(100)
    assert all_sentence_scores([], []) == []


def test_signatures_differ_where_sentence_and_corpus_scores_are_computed_differently() -> None:
    of_corpus = {name: row.compute(["a"], ["a"]).signature for name, row in METRICS.items()}
    different = {name for name in METRICS if sentence_signature(name) != of_corpus[name]}
    assert different == {"bleu"}
    assert sentence_signature("bleu") == of_corpus["bleu"].replace("eff:no", "eff:yes")
