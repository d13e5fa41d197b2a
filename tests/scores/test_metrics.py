import pytest
import sacrebleu
from rouge_score.rouge_scorer import RougeScorer

from s2s.scores import METRICS, score_all
from s2s.words import METRIC_NAMES

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
