import numpy as np
import pytest
import sacrebleu
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.base import Metric as Sacre
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from s2s.config import UserError
from s2s.scores import (
    METRIC_NAMES,
    METRICS,
    Scoring,
    score_all,
    sentence_scores,
    statistics,
)
from tests.scores.pairs import pairs

# those that need no package and no download
INSTALLED = ("13a", "intl", "char", "zh", "none")
HYPOTHESES = ["the cat sat on the mat", "a dog runs", "hello world today"]
REFERENCES = ["the cat sits on the mat", "a dog runs", "good bye"]


def test_the_fields_own_libraries_say_the_same() -> None:
    found = score_all(HYPOTHESES, REFERENCES)
    assert found["bleu"].value == pytest.approx(
        sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES]).score
    )
    assert found["chrf"].value == pytest.approx(
        sacrebleu.corpus_chrf(HYPOTHESES, [REFERENCES]).score
    )
    assert found["ter"].value == pytest.approx(sacrebleu.corpus_ter(HYPOTHESES, [REFERENCES]).score)
    for name, kind in (("rouge_1", "rouge1"), ("rouge_2", "rouge2"), ("rouge_l", "rougeL")):
        rouge = RougeScorer([kind])
        scores = [
            rouge.score(reference, text)[kind].fmeasure
            for text, reference in zip(HYPOTHESES, REFERENCES, strict=True)
        ]
        assert found[name].value == pytest.approx(100 * sum(scores) / 3)
    assert found["exact_match"].value == pytest.approx(100 / 3)


@pytest.mark.parametrize("name", METRICS)
def test_a_perfect_line_is_as_good_as_can_be_in_any_script(name: str) -> None:
    texts = ["пример на пять слов здесь", "una casa roja y grande"]
    score = METRICS[name].compute(texts, texts)
    assert score.value == pytest.approx(100.0 if METRIC_NAMES[name].better == "higher" else 0.0)
    assert "|" in score.signature


SEVERAL = [
    ["le chat dort", "un chat dort"],
    ["la maison rouge"],
    ["elle mange", "elle a mangé", "il mange"],
]
TEXTS = ["un chat dort", "la maison est rouge", "il a mangé"]


@pytest.mark.parametrize("metric", [BLEU(force=True), CHRF(), TER()])
def test_several_references_count_as_in_sacrebleu(metric: Sacre) -> None:
    filled = [[*each, None, None][:3] for each in SEVERAL]
    theirs = metric.corpus_score(TEXTS, [list(stream) for stream in zip(*filled, strict=True)])
    key = {"BLEU": "bleu", "CHRF": "chrf", "TER": "ter"}[type(metric).__name__]
    ours = statistics(TEXTS, SEVERAL, names=[key]).scores()[key]
    assert ours == score_all(TEXTS, SEVERAL)[key]
    assert ours.value == theirs.score
    assert ours.signature == f"{metric.get_signature()}|unicode:NFC"
    assert "nrefs:var" in ours.signature


def test_rouge_and_exact_match_take_the_best_reference() -> None:
    counted = statistics(TEXTS, SEVERAL)
    best = [
        max(sentence_scores(text, one)["rouge_l"] for one in references)
        for text, references in zip(TEXTS, SEVERAL, strict=True)
    ]
    assert counted.scores()["rouge_l"].value == pytest.approx(sum(best) / 3)
    assert counted.scores()["exact_match"].value == pytest.approx(100 / 3)
    assert counted.scores()["exact_match"].signature.endswith("|nrefs:var|of:best|unicode:NFC")
    assert counted.scores()["length_ratio"].value == pytest.approx(10 / 9)
    one = statistics(TEXTS, [each[:1] for each in SEVERAL]).scores()
    assert one == statistics(TEXTS, [each[0] for each in SEVERAL]).scores()
    together = statistics(TEXTS[:1], SEVERAL[:1]) + statistics(TEXTS[1:], SEVERAL[1:])
    assert together.scores() == counted.scores()


@pytest.mark.parametrize(
    ("scoring", "key", "metric"),
    [
        (Scoring(chrf_words=2), "chrf", CHRF(word_order=2)),
        (Scoring(lowercase=True), "chrf", CHRF(lowercase=True)),
        (Scoring(lowercase=True), "bleu", BLEU(lowercase=True)),
        *((Scoring(tokenize=name), "bleu", BLEU(tokenize=name)) for name in INSTALLED),
    ],
)
def test_other_ways_to_count_are_sacrebleus_with_its_signatures(
    scoring: Scoring, key: str, metric: Sacre
) -> None:
    hypotheses, references = pairs(40, 3)
    counted = statistics(hypotheses, references, names=[key], scoring=scoring)
    theirs = metric.corpus_score(hypotheses, [references])
    assert counted.scores()[key].value == pytest.approx(theirs.score)
    assert counted.scores()[key].signature == f"{metric.get_signature()}|unicode:NFC"
    drawn = counted.resampled(samples=1, seed=2)[key][0]
    rows = np.random.default_rng(2).choice(40, size=(1, 40))[0]
    again = metric.corpus_score([hypotheses[i] for i in rows], [[references[i] for i in rows]])
    assert drawn == pytest.approx(again.score)


def test_ways_to_count_that_there_are_not_are_refused() -> None:
    with pytest.raises(UserError, match="`13b` is not a tokenizer of BLEU here; choose from auto"):
        Scoring(tokenize="13b")
    with pytest.raises(UserError, match="give 0 for chrF or 2 for"):
        Scoring(chrf_words=1)
