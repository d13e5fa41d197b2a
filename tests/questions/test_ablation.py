"""What is said of a model without some heads, and when it is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from s2s.config import UserError
from s2s.questions import Ablated, Ablation, Have, SentenceAblation

TEXT = "the red house"
ASKED = Ablation("demo-en-fr", n=12, switched="cross.2=off encoder.1.1=uniform")


@pytest.fixture(scope="module")
def answer() -> Ablated:
    return Have().answer(ASKED)


def test_the_loss_is_said_to_rise_or_to_fall_only_where_its_interval_excludes_0(
    answer: Ablated,
) -> None:
    loss = answer.loss
    assert loss.low > 0
    assert "5 heads changed the loss rises by" in ASKED.finding(answer)
    unclear = replace(answer, loss=replace(loss, low=-0.1))
    assert "does not clearly change" in ASKED.finding(unclear)
    falls = replace(answer, loss=replace(loss, low=-0.2, high=-0.1))
    assert "the loss falls by" in ASKED.finding(falls)
    assert "interval 0.100 to 0.200" in ASKED.finding(falls)


def test_a_translation_is_said_to_change_only_where_it_does() -> None:
    kept = SentenceAblation("demo-en-fr", switched="encoder.1.1=uniform", text=TEXT)
    assert kept.finding(Have().answer(kept)).startswith("The translation stays the same; ")
    lost = replace(kept, switched="cross=off")
    assert lost.finding(Have().answer(lost)).startswith("The translation changes.")


@pytest.mark.parametrize(
    ("switched", "why"), [("", "No head is ablated"), ("cross.1.9=off", "names no head")]
)
def test_heads_that_are_not_there_are_refused(switched: str, why: str) -> None:
    for asked in (
        replace(ASKED, switched=switched),
        SentenceAblation("demo-en-fr", switched=switched, text=TEXT),
    ):
        with pytest.raises(UserError, match=why):
            Have().answer(asked)


def test_it_is_the_measurement_of_a_job(answer: Ablated) -> None:
    request = ASKED.request(Have())
    assert request.settings == {"heads": "cross.2=off encoder.1.1=uniform"}
    assert (answer.n, answer.n_heads) == (12, 5)
