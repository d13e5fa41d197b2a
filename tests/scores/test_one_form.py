"""One text may be spelled in several Unicode forms: scores do not see which."""

import itertools
import unicodedata
from collections.abc import Callable

import pytest
import sacrebleu

from s2s.scores import (
    MEASURES,
    METRICS,
    Scoring,
    all_sentence_scores,
    breakdown,
    differing_parts,
    edits,
    is_comparable,
    paired,
    score_all,
    sentence_signature,
    statistics,
)

# Bengali ড় ঢ় য় are excluded from composition: what keyboards write changes under NFC.
TEXTS = [
    "ব\u09dc নদী সারা বছর আষা\u09dd\u09c7 ব\u09df",
    "l'été dernier, la forêt était très agréable",
    "한국어 문장을 하나 쓴다",
    "tiếng Việt có nhiều dấu",
    "Ω is an ohm: 5 Ω",
]
OTHERS = [*TEXTS[1:], TEXTS[0]]
FORMS = ("NFC", "NFD")


def in_form(form: str, texts: list[str]) -> list[str]:
    return [unicodedata.normalize(form, text) for text in texts]  # type: ignore[arg-type]


@pytest.mark.parametrize(("ours", "theirs"), [*itertools.product(FORMS, repeat=2)])
def test_scores_do_not_depend_on_the_form(ours: str, theirs: str) -> None:
    hypotheses = in_form(ours, [*TEXTS, *OTHERS])
    references = in_form(theirs, [*TEXTS, *TEXTS])
    plain = statistics([*TEXTS, *OTHERS], [*TEXTS, *TEXTS])
    assert statistics(hypotheses, references).scores() == plain.scores()
    assert score_all(hypotheses, references) == score_all([*TEXTS, *OTHERS], [*TEXTS, *TEXTS])
    for name, row in {**METRICS, **MEASURES}.items():
        assert row.compute(hypotheses, references) == plain.scores()[name]
    assert all_sentence_scores(hypotheses, references) == all_sentence_scores(
        [*TEXTS, *OTHERS], [*TEXTS, *TEXTS]
    )
    assert plain.scores()["exact_match"].value == 50


def test_sacrebleu_gives_the_same_digits_on_normalized_texts() -> None:
    hypotheses = [*TEXTS, "ব\u09dc নদী সারা বছর"]
    references = [*TEXTS[:-1], "Ω is an ohm", TEXTS[0]]
    assert hypotheses != in_form("NFC", hypotheses)
    found = score_all(hypotheses, references)
    texts, expected = in_form("NFC", hypotheses), [in_form("NFC", references)]
    assert found["bleu"].value == sacrebleu.corpus_bleu(texts, expected).score
    assert found["chrf"].value == sacrebleu.corpus_chrf(texts, expected).score
    assert found["ter"].value == sacrebleu.corpus_ter(texts, expected).score
    assert found["bleu"].value != sacrebleu.corpus_bleu(hypotheses, expected).score


@pytest.mark.parametrize(
    "count", [breakdown.bleu, breakdown.chrf, lambda *texts: breakdown.rouge(*texts, 1)]
)
def test_what_is_shown_is_counted_in_one_form(count: Callable[..., object]) -> None:
    (composed,), (decomposed,) = in_form("NFC", TEXTS[1:2]), in_form("NFD", TEXTS[1:2])
    assert count(decomposed, composed) == count(composed, composed)
    assert edits.ter(decomposed, composed).score == 0
    assert breakdown.rouge_l(decomposed, composed).score == 100


def test_significance_does_not_depend_on_the_form() -> None:
    ours, theirs = TEXTS * 4, OTHERS * 4
    mixed = paired(in_form("NFD", ours), theirs, TEXTS * 4, names=["chrf"], samples=40)
    assert mixed == paired(ours, theirs, TEXTS * 4, names=["chrf"], samples=40)


@pytest.mark.parametrize("name", [*METRICS, *MEASURES])
def test_every_signature_names_the_form(name: str) -> None:
    signature = {**METRICS, **MEASURES}[name].compute(["a"], ["a"]).signature
    assert signature.endswith("|unicode:NFC")
    assert is_comparable({name: signature})
    assert not is_comparable({name: signature.removesuffix("|unicode:NFC")})


def test_a_sentence_signature_names_form_and_tokenizer() -> None:
    signature = sentence_signature("bleu", Scoring("zh"))
    assert "tok:zh" in signature
    assert signature.endswith("|unicode:NFC")


def test_two_systems_with_different_signatures_are_not_paired() -> None:
    ours, theirs = (
        statistics(["a b"], ["a b"], names=["bleu"], scoring=Scoring(tokenizer))
        for tokenizer in ("13a", "char")
    )
    with pytest.raises(ValueError, match=r"tokenize='13a'.* cannot be paired with"):
        ours.paired(theirs)


def test_signatures_are_told_apart_by_what_differs() -> None:
    assert differing_parts(["a:1|b:2", "a:1|b:3", "a:1|b:2"]) == ["b:2", "b:3"]
    assert differing_parts(["a:1|b:2", ""]) == ["of an earlier version", "a:1|b:2"]
