"""The view of Steps against a reference."""

import csv
import math
import re
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

import s2s
from s2s.analysis.search_error import SearchDiagnosis
from s2s.config import override
from s2s.runs import Run
from s2s.runs.teacher_forcing import reference as force_reference
from s2s.ui.kit import cached
from s2s.ui.steps import loss_table
from s2s.ui.steps.teacher_forcing import diagnosis_sentences, difference_sentence
from tests.screen import link, page_text
from tests.ui.steps.views import DEMO, TEXT, again, pressed, steps, strip


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load(DEMO)


def test_the_numbers_of_the_losses_add_up_to_the_score(run: Run) -> None:
    reference = force_reference(run, TEXT, "=le chat")
    own = run.translate([TEXT])[0]
    head, *rows = csv.reader(loss_table.csv_text(own.hypotheses[0], reference).splitlines())
    assert (head[1], rows[0][1], head[2]) == ("reference", "<unk>", "loss (nats)")
    assert sum(float(each[2]) for each in rows if each[2]) == pytest.approx(
        -reference.log_prob, abs=1e-3
    )
    assert sum(float(each[7]) for each in rows) == pytest.approx(-own.log_prob, abs=1e-3)


def test_a_first_token_that_is_given_is_not_in_the_mean_loss(run: Run) -> None:
    (la,) = run.tgt_tokenizer.encode("la")
    given = replace(run, recipe=override(run.recipe, {"model.ids.tgt_first": la}))
    reference = force_reference(given, TEXT, "maison noire")
    total = -reference.log_prob
    assert f"is {total:.2f} nats, {total / 3:.2f} nats per token" in difference_sentence(
        reference, reference.tokens, None
    )


def test_a_reference_has_its_diagnosis_and_its_losses(run: Run) -> None:
    screen = steps("reference", tgt="le maison rouge")
    assert not screen.exception
    assert "Model error." in page_text(screen)
    assert (
        "They first differ at position 1: the reference has *le*, the model wrote *la*."
        in page_text(screen)
    )
    table = screen.dataframe[0].value
    reference = force_reference(run, TEXT, "le maison rouge")
    assert list(table["loss (nats)"]) == [-value for value in reference.log_probs]
    assert list(table["probability"]) == [math.exp(value) for value in reference.log_probs]
    assert list(table["rank"]) == list(reference.ranks)
    assert list(table["differs"]) == ["≠"] * 4
    texts = " ".join(str(each.proto.body) for each in screen.get("html"))
    assert f"−{-run.score([TEXT], ['le maison rouge'])[0]:.2f}" in texts
    assert translation_of_link(screen) == "le maison rouge"
    assert list(again(screen).dataframe[0].value["loss (nats)"]) == list(table["loss (nats)"])


def test_where_they_first_differ_the_candidates_are_shown() -> None:
    screen = pressed(steps("reference", tgt="la maison noire"), "See the candidates there")
    assert screen.selectbox(key="steps at").value == 2
    assert [cell["text"] for cell in strip(screen)] == ["la", "maison", "rouge", "</s>"]


def translation_of_link(screen: AppTest) -> str:
    return parse_qs(urlsplit(link(screen)).query)["tgt"][0]


def test_the_model_that_writes_the_reference_makes_no_error() -> None:
    screen = steps("reference", tgt="la maison rouge")
    assert "No error." in page_text(screen)
    assert "the reference, token by token" in page_text(screen)


@pytest.mark.parametrize(
    "text",
    ["**bold** <img src=x onerror=alert(1)> :material/home: $x$ [a](http://b)", "zèbre " * 99],
)
def test_words_that_the_model_cannot_write_are_shown_verbatim(text: str) -> None:
    screen = steps("reference", tgt=text.strip())
    assert not screen.exception
    assert "The model cannot write" in page_text(screen) or "shorten it" in page_text(screen)
    assert not any("<img" in str(each.proto.body) for each in screen.get("html"))


def test_an_example_brings_its_sentence_and_another_sentence_drops_the_reference() -> None:
    screen = steps("reference")
    assert not screen.exception
    assert "Type the translation that you want" in page_text(screen)
    assert not screen.get("plotly_chart")
    screen.button(key="pair1").click().run()
    assert not screen.exception
    assert "error" in page_text(screen)
    reference = screen.text_input(key="reference box").value
    assert f"{screen.text_input(key='src').value} → {reference}" in screen.button(
        key="pair1"
    ).label.replace("\\", "")
    screen.text_input(key="src").set_value(TEXT).run()
    assert screen.text_input(key="reference box").value == ""


def test_an_example_keeps_its_reference_where_the_box_writes_its_spaces_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cached, "probes", lambda run: [("the \u00a0red house ", "la maison noire")])
    screen = steps("reference", tgt="le maison rouge")
    screen.button(key="pair0").click().run()
    assert not screen.exception
    assert screen.text_input(key="reference box").value == "la maison noire"
    assert "the reference has *noire*" in page_text(screen)


def test_the_verdict_names_its_score_and_the_other_one_where_they_disagree() -> None:
    """A short text that the length penalty prefers, beside a longer reference of higher probability."""
    shared = {"tgt": "la maison rouge", "length_penalty": "-5"}
    narrow = steps("reference", **shared)
    assert "**A search error, too.** A beam of 50 finds a text whose score is" in page_text(narrow)
    screen = steps("reference", **shared, num_beams="50")
    assert not screen.exception
    assert "Judged by the score that beam maximizes: nats / length^−5." in page_text(screen)
    assert (
        "**Model error.** The model itself prefers what was written, whose score is"
        in page_text(screen)
    )
    assert re.search("against −288.28[0-9]* of the reference", page_text(screen))  # −0.2815 × 4^5
    assert "**By log-probability alone it is a search error**" in page_text(screen)
    tables = " ".join(str(each.proto.body) for each in screen.get("html"))
    assert "score (nats / length^−5)" in tables
    assert "log-probability (nats)" in tables


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"strategy": "constrained", "force_words": "rouge"}, "Forced words decide here"),
        ({"bad_words": "le"}, "bad_words does not allow this reference"),
        ({"prefix": "la"}, "prefix does not allow this reference"),
        ({"max_new_tokens": "1"}, "max_new_tokens does not allow this reference"),
    ],
)
def test_no_verdict_where_neither_search_nor_model_is_to_blame(
    settings: dict[str, str], sentence: str
) -> None:
    screen = steps("reference", tgt="le maison rouge", **settings)
    assert not screen.exception
    assert sentence in page_text(screen)
    assert "Judged by" not in page_text(screen)


@pytest.mark.parametrize(
    ("strategy", "sentence"),
    [
        ("mbr", "what mbr ranks by (mean chrF over 32 samples, 0 to 100) is not known"),
        ("sample", "which sample ranks by."),
    ],
)
def test_a_strategy_that_draws_is_judged_by_log_probability(strategy: str, sentence: str) -> None:
    screen = steps("reference", tgt="le maison rouge", strategy=strategy)
    assert not screen.exception
    assert "Judged by log-probability" in page_text(screen)
    assert sentence in page_text(screen)


@pytest.mark.parametrize(
    ("verdict", "nearer", "parts"),
    [
        (
            SearchDiagnosis(-1.0, -1.0, -1.0, True),
            0.0,
            ["**No error.** The model wrote the reference."],
        ),
        (
            SearchDiagnosis(-1.0, -3.0, -1.0, False),
            9.0,
            ["**Search error.**", "7.4 times as probable as what was written", "it is closer"],
        ),
        (
            SearchDiagnosis(-1.0, -3.0, -3.0, False),
            0.0,
            ["**Search error.**", "Even a beam of 50 does not find the reference."],
        ),
        (
            SearchDiagnosis(-9.0, -3.0, -2.0, False),
            -9.0,
            ["**Model error.**", "403 times as probable", "**A search error, too.**", "farther"],
        ),
        (
            SearchDiagnosis(-3.0, -3.0, -3.0, False),
            0.0,
            ["**Model error.**", "about as probable as the reference"],
        ),
    ],
)
def test_the_sentences_say_which_failed(
    verdict: SearchDiagnosis, nearer: float, parts: list[str]
) -> None:
    found = " ".join(diagnosis_sentences(verdict, nearer))
    assert all(part in found for part in parts)
    assert ("a text" in found) == verdict.is_missed
