"""The heatmap shows the model's own weights."""

from dataclasses import replace

import numpy as np
import pytest

import s2s
from s2s.plots import attention_view
from s2s.questions import AttentionOf, Have
from tests.screen import link, lost, opened, picture

DEMO = "demo-en-fr"


@pytest.mark.parametrize(
    ("kind", "layer", "head"),
    [
        ("decoder", "2", "mean"),
        ("cross", "mean", "1"),
    ],
)
def test_attention_shows_the_models_own_weights(kind: str, layer: str, head: str) -> None:
    screen = opened("attention", src="the red house", kind=kind, layer=layer, head=head)
    assert not lost(screen)
    run = s2s.load(DEMO)
    attention = run.attention("the red house", run.translate(["the red house"])[0].text)
    weights = getattr(attention, kind)
    weights = weights.mean(0) if layer == "mean" else weights[int(layer) - 1]
    weights = weights.mean(0) if head == "mean" else weights[int(head) - 1]
    title, shown = picture(screen)
    np.testing.assert_allclose(shown, weights, atol=1e-6)
    assert kind in title
    assert "step 1,500" in title
    assert ("mean of 2 layers" in title) is (layer == "mean")


def test_another_target_can_be_forced_and_travels() -> None:
    screen = opened("attention", src="the red house", tgt="le chat")
    attention = s2s.load(DEMO).attention("the red house", "le chat")
    np.testing.assert_allclose(picture(screen)[1], attention.cross[-1].mean(0), atol=1e-6)
    assert "tgt=le+chat" in link(screen)
    screen.text_input(key="tgt box").set_value("").run()
    assert picture(screen)[1].shape[0] == 4
    assert "tgt=la+maison+rouge" in link(screen)  # a link writes every value


def test_an_earlier_checkpoint_can_be_looked_into(own_run: str) -> None:
    screen = opened(
        "attention", run=own_run, src="1 2 3", step="10", kind="encoder", layer="1", head="1"
    )
    assert not lost(screen)
    np.testing.assert_allclose(
        picture(screen)[1], s2s.load(own_run, 10).attention("1 2 3", "").encoder[0, 0], atol=1e-6
    )


def test_of_numbers_that_are_not_finite_there_is_a_sentence_and_no_figure() -> None:
    question = AttentionOf(DEMO, "the red house")
    answer = Have().answer(question)
    attention = replace(answer.attention, cross=answer.attention.cross * np.nan)
    (found,) = attention_view.pictures(question, replace(answer, attention=attention), "m")
    assert found.figure is None
    assert found.finding.endswith("mean of 4 heads: its numbers are not finite.")
