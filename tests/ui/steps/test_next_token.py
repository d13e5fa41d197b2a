"""Two views of Steps: the next word, and against a reference."""

import csv
import json
import math
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import torch
from streamlit.testing.v1 import AppTest

import s2s
from s2s.analysis.search_error import SearchDiagnosis
from s2s.decode import inspect_truncation
from s2s.decode.filters import FILTERS
from s2s.runs import Run
from s2s.runs.teacher_forcing import reference as force_reference
from s2s.ui.steps import loss_table, truncation
from s2s.ui.steps.teacher_forcing import diagnosis_sentences
from s2s.ui.steps.truncation import FIELD, SETTINGS, START
from s2s.ui.steps.view_state import STATE
from tests.screen import link, lost, opened, said, translation

DEMO = "demo-en-fr"
TEXT = "the red house"


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load(DEMO)


def steps(view: str, /, **params: str) -> AppTest:
    settings = ",".join(
        f"{key}:{value}" for key, value in {"view": view, **params}.items() if key != "tgt"
    )
    tgt = {"tgt": params["tgt"]} if "tgt" in params else {}
    return opened("steps", run=DEMO, src=TEXT, set=settings, **tgt)


def again(screen: AppTest) -> AppTest:
    """What the Share button's link opens."""
    return opened(
        "steps", **{key: value[-1] for key, value in parse_qs(urlsplit(link(screen)).query).items()}
    )


def strip(screen: AppTest) -> list[dict[str, Any]]:
    """The strip's cells."""
    return list(json.loads(screen.get("bidi_component")[0].proto.json)["tokens"])


def bars(screen: AppTest) -> list[str]:
    """The numbers beside the ruler's bars."""
    return list(json.loads(screen.get("plotly_chart")[0].proto.spec)["data"][0]["text"])


def pressed(screen: AppTest, label: str) -> AppTest:
    next(button for button in screen.button if button.label.startswith(label)).click().run()
    assert not screen.exception
    return screen


def test_each_token_has_the_models_own_probability(run: Run) -> None:
    screen = steps("next")
    assert not screen.exception
    best = run.translate([TEXT])[0].hypotheses[0]
    cells = strip(screen)
    assert [cell["text"] for cell in cells] == list(best.tokens)
    assert [cell["probability"] for cell in cells] == [
        f"{math.exp(value):.0%}" for value in best.token_log_probs
    ]
    assert all(
        cell["label"] == f"Position {place}: {cell['text']}, {cell['probability']}"
        for place, cell in enumerate(cells, 1)
    )
    assert all(
        cell["alternatives"][0] == [token, cell["text"], cell["probability"]]
        for token, cell in zip(best.ids, cells, strict=True)
    )
    rows = run.next_tokens(TEXT, best.ids[:-1])
    assert [[rival[0] for rival in cell["alternatives"]] for cell in cells] == rows.topk(
        5
    ).indices.tolist()


def test_the_table_is_what_the_library_leaves(run: Run) -> None:
    screen = steps("next", at="2", ruler_top_k="3", ruler_temperature="2.0")
    rows = run.next_tokens(TEXT, run.translate([TEXT])[0].hypotheses[0].ids[:-1])
    measured = inspect_truncation(
        rows[1], s2s.config.override(START, {"top_k": 3, "temperature": 2.0})
    )
    table = screen.dataframe[0].value
    assert list(table["filter"]) == [*FILTERS, "all together"]
    assert list(table["tokens left"]) == [
        *(measured.alone[name].n for name in FILTERS),
        measured.together.n,
    ]
    assert list(table["entropy left (nats)"])[-1] == f"{measured.together.entropy:.2f}"
    assert f"Entropy {measured.entropy:.2f} nats" in said(screen)
    title = json.loads(screen.get("plotly_chart")[0].proto.spec)["layout"]["title"]["text"]
    assert title == f"{DEMO} · step 1,500 · temperature 2<br>position 2 of 4, after “la”"


def test_temperature_and_filters_cost_no_forward_pass(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = steps("next", at="1")
    cold = bars(screen)
    monkeypatch.setattr(Run, "next_tokens", None)
    monkeypatch.setattr(Run, "complete", None)
    monkeypatch.setattr(Run, "translate", None)
    screen.slider(key="steps filter_temperature").set_value(3.0).run()
    screen.number_input(key="steps filter_top_k").set_value(1).run()
    assert not screen.exception
    row = (run_rows(run)[0] / 3.0).softmax(0)
    assert bars(screen)[0] == f"{float(row.max()):.1%}" != cold[0]
    assert screen.dataframe[0].value["tokens left"][1] == 1
    assert {"ruler_temperature:3.0", "ruler_top_k:1"} <= set(
        parse_qs(urlsplit(link(screen)).query)["set"][0].split(",")
    )
    assert bars(again(screen)) == bars(screen)


def run_rows(run: Run) -> torch.Tensor:
    with torch.inference_mode():
        src, tgt = (
            [*words.encode(text), 2]
            for words, text in ((run.src_tokenizer, TEXT), (run.tgt_tokenizer, "la maison rouge"))
        )
        logits: torch.Tensor = run.model(torch.tensor([src]), torch.tensor([[1, *tgt]]))[0]
    return logits


def test_another_word_is_forced_and_the_model_continues(run: Run) -> None:
    screen = steps("next", at="1")
    assert translation(screen) == "la maison rouge"
    screen = pressed(screen, "le ·")
    ids = (run.tgt_tokenizer.encode("le")[0],)
    expected = run.complete(TEXT, ids)
    assert translation(screen) == expected.text != "la maison rouge"
    assert [cell["note"] for cell in strip(screen)] == ["forced"] + [""] * (
        len(expected.tokens) - 1
    )
    assert f"{expected.log_prob:.2f}".replace("-", "−") in said(screen)
    assert "less probable" in said(screen)
    other = again(screen)
    assert translation(other) == expected.text
    assert strip(other) == strip(screen)
    pressed(other, "Back to the model's own")
    assert translation(other) == "la maison rouge"
    assert "forced" not in link(other)


def test_another_position_is_chosen_and_the_link_says_so() -> None:
    screen = steps("next")
    screen.selectbox(key="steps at").set_value(2).run()
    assert "at%3A3" in link(screen)
    assert again(screen).selectbox(key="steps at").value == 2
    screen.text_input(key="src").set_value("the cat sits on the mat").run()
    assert not screen.exception
    assert "at%3A" not in link(screen)  # a place in one sentence is none in another


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"forced": "x.y"}, "x.y are not numbers separated by dots"),
        (
            {"forced": "99999"},
            "The forced words cannot be used: A target cannot begin with the token number 99999",
        ),
        ({"forced": "5.2.5"}, "Nothing can follow"),
        ({"at": "99"}, "There is no position 99 in this translation; it has 4 tokens"),
        ({"at": "<b>"}, "There is no position"),
        ({"ruler_top_p": "7"}, "top_p"),
        ({"ruler_temperature": "50"}, "goes from 0.1 to 3; 50 is beyond"),
        ({"ruler_top_h": "much"}, "top_h"),
    ],
)
def test_what_a_link_cannot_mean_is_said(params: dict[str, str], sentence: str) -> None:
    screen = steps("next", **params)
    assert not screen.exception
    assert any(sentence in re.sub(r"\\(.)|[`\u2060]", r"\1", each) for each in lost(screen))
    assert translation(screen) == "la maison rouge"
    screen.run()
    assert not lost(screen)


def test_the_downloaded_numbers_are_those_of_every_token(run: Run) -> None:
    row = run.next_tokens(TEXT, [])[0]
    measured = inspect_truncation(row, START)
    names = run.tgt_tokenizer.tokens(range(len(row)))
    head, *rows = csv.reader(truncation.tokens_csv(measured, START, names, row).splitlines())
    assert head[3:] == [
        "log_prob",
        "log_prob_at_temperature",
        "probability_at_temperature",
        *FILTERS,
        "all together",
    ]
    assert len(rows) == len(row)
    assert sum(float(each[5]) for each in rows) == pytest.approx(1.0, abs=1e-4)
    assert [float(each[3]) for each in rows] == sorted(
        (float(each[3]) for each in rows), reverse=True
    )
    assert [sum(int(each[place]) for each in rows) for place in range(6, 13)] == [
        measured.alone[name].n for name in FILTERS
    ]


def test_the_numbers_of_the_losses_add_up_to_the_score(run: Run) -> None:
    reference = force_reference(run, TEXT, "=le chat")
    own = run.translate([TEXT])[0]
    head, *rows = csv.reader(loss_table.csv_text(own.hypotheses[0], reference).splitlines())
    assert (head[1], rows[0][1], head[2]) == ("reference", "<unk>", "loss (nats)")
    assert sum(float(each[2]) for each in rows if each[2]) == pytest.approx(
        -reference.log_prob, abs=1e-3
    )
    assert sum(float(each[7]) for each in rows) == pytest.approx(-own.log_prob, abs=1e-3)


def test_every_filter_is_in_the_link() -> None:
    assert [STATE.fields[FIELD + name].link for name in SETTINGS] == [
        f"ruler_{name}" for name in SETTINGS
    ]
    assert set(SETTINGS) == {"temperature", *FILTERS}


def test_without_a_reference_it_says_what_to_do() -> None:
    screen = steps("reference")
    assert not screen.exception
    assert "Type the translation that you want" in said(screen)
    assert not screen.get("plotly_chart")


def test_a_reference_has_its_verdict_and_its_losses(run: Run) -> None:
    screen = steps("reference", tgt="le maison rouge")
    assert not screen.exception
    assert "Model error." in said(screen)
    assert "They first differ at position 1: the reference has *le*, the model wrote *la*." in said(
        screen
    )
    table = screen.dataframe[0].value
    reference = force_reference(run, TEXT, "le maison rouge")
    assert list(table["loss (nats)"]) == [round(-value, 4) for value in reference.log_probs]
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
    assert "No error." in said(screen)
    assert "the reference, token by token" in said(screen)


@pytest.mark.parametrize(
    "text",
    ["**bold** <img src=x onerror=alert(1)>", ":material/home: $x$ [a](http://b)", "zèbre " * 99],
)
def test_words_that_the_model_cannot_write_are_said_as_they_stand(text: str) -> None:
    screen = steps("reference", tgt=text.strip())
    assert not screen.exception
    assert "The model cannot write" in said(screen) or "shorten it" in said(screen)
    assert not any("<img" in str(each.proto.body) for each in screen.get("html"))


def test_an_example_brings_its_sentence_and_another_sentence_drops_the_reference() -> None:
    screen = steps("reference")
    screen.button(key="pair1").click().run()
    assert not screen.exception
    assert "error" in said(screen)
    reference = screen.text_input(key="reference box").value
    assert f"{screen.text_input(key='src').value} → {reference}" in screen.button(
        key="pair1"
    ).label.replace("\\", "")
    screen.text_input(key="src").set_value(TEXT).run()
    assert screen.text_input(key="reference box").value == ""


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
