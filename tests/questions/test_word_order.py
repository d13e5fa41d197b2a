"""Two words swapped: each finding is said where it holds and only there."""

from dataclasses import replace

import numpy as np
import pytest

from s2s.analysis import ReorderingEffect
from s2s.config import UserError
from s2s.questions import Have, SwappedWords, WordOrder, added_table

ASKED = WordOrder("demo-en-fr", "the red house", 2)
ANSWER = Have().answer(ASKED)
STILL = np.zeros(4, np.float32)
BLIND = "cannot tell"


def changed(with_positions: float, without: float) -> SwappedWords:
    effect = ReorderingEffect(STILL + with_positions, STILL + without, 1.0)
    return replace(ANSWER, effect=effect)


def test_the_encoder_alone_cannot_tell_two_orders_apart() -> None:
    assert ANSWER.words == ("the", "red", "house")
    assert (ANSWER.one, ANSWER.other) == ("red", "house")
    assert BLIND in ASKED.finding(ANSWER)
    assert len(added_table(ANSWER).rows) == len(ASKED.table(ANSWER).rows) == 4


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (changed(0.5, 0.1), "Even without positions"),
        (changed(0.0, 0.0), "with positions or without"),
        (replace(changed(0.0, 0.0), kind="none"), "This model has no positions"),
        (replace(ANSWER, swapped=(1, 1)), "leaves the sentence as it is"),
    ],
)
def test_what_was_not_measured_is_not_said(answer: SwappedWords, said: str) -> None:
    assert said in ASKED.finding(answer)
    assert BLIND not in ASKED.finding(answer)


def test_one_word_and_a_word_that_is_not_there_are_refused() -> None:
    with pytest.raises(UserError, match="two words or more"):
        Have().answer(WordOrder("demo-en-fr", "house"))
    with pytest.raises(UserError, match="no word 9: the sentence has 3"):
        Have().answer(WordOrder("demo-en-fr", "the red house", 9))
