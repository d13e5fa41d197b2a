"""The view of the next token, with the truncation inspector."""

import json
import math
import re
from urllib.parse import parse_qs, urlsplit

import pytest
import torch
from streamlit.testing.v1 import AppTest

import s2s
from s2s.runs import Run
from tests.screen import link, lost, translation
from tests.ui.steps.views import DEMO, TEXT, again, pressed, steps, strip


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load(DEMO)


def bars(screen: AppTest) -> list[str]:
    """The numbers beside the bars of the truncation inspector."""
    return list(json.loads(screen.get("plotly_chart")[0].proto.spec)["data"][0]["text"])


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


def test_temperature_and_filters_cost_no_forward_pass(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = steps("next", at="1")
    cold = bars(screen)
    monkeypatch.setattr(Run, "next_tokens", None)
    monkeypatch.setattr(Run, "complete", None)
    monkeypatch.setattr(Run, "translate", None)
    screen.slider(key="steps filter_temperature").set_value(3.0)
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
    said = " ".join(str(each.proto.body) for each in screen.get("html"))
    assert f"{expected.log_prob:.2f}".replace("-", "−") in said
    assert "The first token is forced" in said
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
    assert not lost(screen)
    assert "at%3A" not in link(screen)  # a place in one sentence is none in another


@pytest.mark.parametrize(
    ("params", "sentences"),
    [
        (
            {"forced": "x.y", "at": "99", "ruler_top_h": "much"},
            [
                "x.y are not numbers separated by dots",
                "There is no position 99 in this translation; it has 4 tokens",
                "top_h",
            ],
        ),
        (
            {"forced": "99999", "at": "<b>", "ruler_temperature": "50"},
            [
                "The forced words cannot be used: A target cannot begin with token id 99999",
                "There is no position",
                "ruler_temperature: there is no 50 here",
            ],
        ),
        ({"forced": "5.2.5", "ruler_top_p": "7"}, ["Nothing can follow", "top_p"]),
    ],
)
def test_what_a_link_cannot_mean_is_reported(params: dict[str, str], sentences: list[str]) -> None:
    screen = steps("next", **params)
    assert not screen.exception
    told = re.sub(r"\\(.)|[`\u2060]", r"\1", " ".join(lost(screen)))
    assert all(sentence in told for sentence in sentences)
    assert translation(screen) == "la maison rouge"


def test_a_link_can_ask_for_logarithmic_bars() -> None:
    screen = steps("next", ruler_log="true")
    assert not lost(screen)
    assert screen.toggle(key="steps log_scale").value is True
    screen.toggle(key="steps log_scale").set_value(False).run()
    assert "ruler_log" not in link(screen)
