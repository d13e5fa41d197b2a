"""The answers of lesson 1, computed again by the public interface."""

import numpy as np
import pytest

import s2s
from s2s.config import UserError
from s2s.lessons import ANSWERS, Context, Heads

SENTENCE = "the red house is old"


def test_the_answers_are_those_of_the_step_s_own_sentence() -> None:
    run = s2s.load("demo-en-fr")
    context = Context("demo-en-fr", values={"src": "a cat"}, start={"src": SENTENCE})
    weights = run.attention(SENTENCE, "la maison rouge est vieille").cross
    rouge, red, house = 2, 1, 2
    assert weights[-1, :, rouge].mean(0).argmax() == red
    assert ANSWERS["attended_by_adjective"].compute(context) == red
    heads = ANSWERS["article_attends_to_noun"].compute(context)
    assert isinstance(heads, Heads)
    layers, numbers = np.nonzero(weights[:, :, 0, house] >= 0.5)
    assert heads.right == set(zip(layers + 1, numbers + 1, strict=True)) >= {(1, 1), (1, 4)}
    assert not heads.right & heads.nearly
    assert heads.measured[1, 2] == f"a weight of {weights[0, 1, 0, house]:.2f} there"
    texts = {run.translate([SENTENCE], name)[0].text for name in ("greedy", "beam")}
    assert ANSWERS["greedy_and_beam"].compute(context) == len(texts) - 1 == 0


def test_a_sentence_that_is_too_short_is_a_sentence() -> None:
    context = Context("demo-en-fr", start={"src": "cat"})
    with pytest.raises(UserError, match="too short for this question"):
        ANSWERS["attended_by_adjective"].compute(context)
