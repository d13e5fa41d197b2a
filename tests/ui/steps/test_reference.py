"""The tab against a reference: where it comes from, and that it is shown verbatim."""

from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from tests.screen import link, page_text
from tests.ui.steps.views import TEXT, again, pressed, steps, strip


def said(screen: AppTest) -> str:
    """The findings of the page."""
    return " ".join(str(each.proto.body) for each in screen.get("html"))


def test_a_reference_has_its_verdict_and_its_losses_and_is_in_the_link() -> None:
    screen = steps("reference", tgt="le maison rouge")
    assert not screen.exception
    assert "Model error" in said(screen)
    assert parse_qs(urlsplit(link(screen)).query)["tgt"] == ["le maison rouge"]
    every = screen.dataframe[1].value
    assert list(every["differs"]) == ["≠"] * 4
    assert list(again(screen).dataframe[1].value["loss (nats)"]) == list(every["loss (nats)"])


def test_where_they_first_differ_the_candidates_are_shown() -> None:
    screen = pressed(steps("reference", tgt="la maison noire"), "See the candidates there")
    assert screen.selectbox(key="steps at").value == 2
    assert [cell["text"] for cell in strip(screen)] == ["la", "maison", "rouge", "</s>"]


def test_words_that_the_model_cannot_write_are_shown_verbatim() -> None:
    hostile = "**bold** <img src=x onerror=alert(1)> :material/home: $x$ [a](http://b)"
    screen = steps("reference", tgt=hostile)
    assert not screen.exception
    assert "The model cannot write" in page_text(screen)
    assert "<img" not in said(screen)


def test_an_example_brings_its_sentence_and_another_sentence_drops_the_reference() -> None:
    screen = steps("reference")
    assert not screen.exception
    assert "Type the translation that you want" in page_text(screen)
    assert not screen.get("plotly_chart")
    screen.button(key="pair1").click().run()
    assert not screen.exception
    assert screen.get("plotly_chart")
    reference = screen.text_input(key="reference box").value
    label = screen.button(key="pair1").label.replace("\\", "")
    assert f"{screen.text_input(key='src').value} → {reference}" in label
    screen.text_input(key="src").set_value(TEXT).run()
    assert screen.text_input(key="reference box").value == ""


def test_an_example_keeps_its_reference_where_the_box_writes_its_spaces_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pairs = [("the \u00a0red house ", "la maison noire")]
    monkeypatch.setattr("s2s.ui.steps.reference.validation_pairs", lambda run: pairs)
    screen = steps("reference", tgt="le maison rouge")
    screen.button(key="pair0").click().run()
    assert not screen.exception
    assert screen.text_input(key="reference box").value == "la maison noire"
    assert "the reference has “noire”" in page_text(screen)
