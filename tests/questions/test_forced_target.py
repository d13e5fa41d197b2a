"""The loss of a given target adds up to its score, and what failed is judged as the library judges."""

import math
from dataclasses import replace
from typing import Any

import pytest

import s2s
from s2s.analysis import SearchDiagnosis
from s2s.config import UserError, override
from s2s.plots.forced_target_view import difference_sentence
from s2s.questions import Forced, ForcedTarget, Have
from s2s.questions.forced_target import VERDICTS
from s2s.questions.views import view_of
from s2s.runs import Run
from s2s.runs.teacher_forcing import reference as force_reference

DEMO, TEXT = "demo-en-fr", "the red house"


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load(DEMO)


def answer(target: str, strategy: str = "beam", settings: str = "{}") -> Forced:
    return Have().answer(ForcedTarget(DEMO, TEXT, strategy, settings, target=target))


def said(found: Forced) -> str:
    return ForcedTarget().finding(found)


def captions(found: Forced) -> str:
    return " ".join(
        each.caption for each in view_of(ForcedTarget()).pictures(ForcedTarget(), found, "m")
    )


def test_the_losses_add_up_to_the_score(run: Run) -> None:
    found = answer("=le chat")
    table = ForcedTarget().table(found)
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert rows[0]["reference"] == "<unk>"
    total = sum(row["loss (nats)"] for row in rows if row["loss (nats)"] is not None)
    assert total == pytest.approx(-run.score([TEXT], ["=le chat"])[0], abs=1e-3)
    own = sum(row["its own loss (nats)"] or 0.0 for row in rows)
    assert own == pytest.approx(-run.translate([TEXT])[0].log_prob, abs=1e-3)
    assert "The model cannot write “=le”" in captions(found)


def test_every_position_has_the_references_numbers(run: Run) -> None:
    found, reference = answer("le maison rouge"), force_reference(run, TEXT, "le maison rouge")
    columns = dict(
        zip(
            ForcedTarget().table(found).columns,
            zip(*ForcedTarget().table(found).rows, strict=True),
            strict=True,
        )
    )
    assert list(columns["probability"]) == [math.exp(value) for value in reference.log_probs]
    assert list(columns["rank"]) == list(reference.ranks)
    assert list(columns["differs"]) == ["≠"] * 4
    assert "position 1: the reference has “le”, the model wrote “la”." in captions(found)
    assert "the reference, token by token" in captions(answer("la maison rouge"))


def test_a_first_token_that_is_given_is_not_in_the_mean_loss(run: Run) -> None:
    (la,) = run.tgt_tokenizer.encode("la")
    given = replace(run, recipe=override(run.recipe, {"model.ids.tgt_first": la}))
    reference = force_reference(given, TEXT, "maison noire")
    total = -reference.log_prob
    sentence = difference_sentence(replace(answer("la maison noire"), reference=reference))
    assert f"is {total:.2f} nats, {total / 3:.2f} nats per token" in sentence


def by_log_prob(kind: str, **diagnosis: Any) -> Forced:
    """An answer that log-probabilities judge."""
    found = answer("la maison noire", "greedy")
    verdict = SearchDiagnosis(**diagnosis)
    assert verdict.kind == kind
    return replace(found, unit="nats", by_score=verdict, by_log_prob=verdict)


RIGHT = {"reference": -1.0, "written": -1.0, "wide": -1.0, "is_right": True}
MISSED = {"reference": -1.0, "written": -3.0, "wide": -1.0, "is_right": False}
BEYOND = {"reference": -1.0, "written": -3.0, "wide": -3.0, "is_right": False}
BOTH = {"reference": -9.0, "written": -3.0, "wide": -2.0, "is_right": False}
EQUAL = {"reference": -3.0, "written": -3.0, "wide": -3.0, "is_right": False}


@pytest.mark.parametrize(
    ("kind", "diagnosis", "parts", "not_said"),
    [
        ("none", RIGHT, ["No error"], ["Search error", "Model error", "beam of 50"]),
        ("search", MISSED, ["Search error", "7.4 times as probable as what was written"], ["Even"]),
        ("search", BEYOND, ["Even a beam of 50 does not find the reference"], ["finds a text"]),
        ("model", BOTH, ["Model error", "403 times as", "A search error, too"], ["Search error"]),
        ("model", EQUAL, ["about as probable as the reference"], ["A search error"]),
    ],
)
def test_the_verdict_says_which_failed(
    kind: str, diagnosis: dict[str, Any], parts: list[str], not_said: list[str]
) -> None:
    sentences = said(by_log_prob(kind, **diagnosis))
    assert all(part in sentences for part in parts)
    assert not any(part in sentences for part in not_said)


def test_no_verdict_where_neither_search_nor_model_is_to_blame() -> None:
    for strategy, settings, words in (
        ("constrained", '{"force_words": "rouge"}', "Forced words decide here"),
        ("beam", '{"bad_words": "le"}', "bad_words does not allow this reference"),
        ("beam", '{"prefix": "la"}', "prefix does not allow this reference"),
        ("beam", '{"max_new_tokens": 1}', "max_new_tokens does not allow this reference"),
    ):
        found = answer("le maison rouge", strategy, settings)
        assert words in said(found) == VERDICTS[0].said(found)
        assert found.by_score is None
        assert "Judged by" not in captions(found)


def test_the_verdict_names_its_score_and_the_other_one_where_they_disagree() -> None:
    """A short text that the length penalty prefers, beside a longer reference of higher probability."""
    narrow = answer("la maison rouge", settings='{"length_penalty": -5}')
    assert "A search error, too: a beam of 50 finds a text whose score is" in said(narrow)
    found = answer("la maison rouge", settings='{"length_penalty": -5, "num_beams": 50}')
    assert "Judged by the score that beam maximizes: nats / length^−5." in captions(found)
    assert "against −288 of the reference" in said(found)  # −0.2815 × 4^5
    assert "By log-probability alone it is a search error" in said(found)
    assert "By log-probability" not in said(answer("la maison noire"))


def test_a_strategy_that_draws_is_judged_by_log_probability() -> None:
    for strategy, words in (
        ("mbr", "what mbr ranks by (mean chrF over 32 samples, 0 to 100) is not known"),
        ("sample", "which sample ranks by."),
    ):
        assert words in captions(answer("le maison rouge", strategy))


def test_without_a_target_there_is_nothing_to_force() -> None:
    with pytest.raises(UserError, match="give both"):
        answer("")
