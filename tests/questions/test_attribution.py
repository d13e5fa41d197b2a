"""What is said of attributions and of changed weights, and when it is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from s2s.analysis import heads
from s2s.config import UserError
from s2s.questions import Attributed, Attribution, ChangedWeights, Have, Shifted, completeness

TEXT = "the red house"
ASKED = Attribution("demo-en-fr", TEXT, method="occlusion")


@pytest.fixture(scope="module")
def answer() -> Attributed:
    return Have().answer(ASKED)


@pytest.fixture(scope="module")
def shifted() -> Shifted:
    return Have().answer(ChangedWeights("demo-en-fr", TEXT))


def attributed(answer: Attributed, values: np.ndarray) -> Attributed:
    found = answer.found
    return replace(answer, found=heads.Attribution(values, found.own, found.without))


def test_the_largest_attribution_is_named_and_attention_is_said_to_agree_only_where_it_does(
    answer: Attributed,
) -> None:
    weights = ASKED.shown(answer).weights
    like = np.vstack([weights, weights[:1]])[: len(answer.found.values)]
    assert "much alike" in ASKED.finding(attributed(answer, like))
    assert "otherwise" in ASKED.finding(attributed(answer, 1 / (like + 0.01)))
    equal = np.ones_like(answer.found.values)
    assert "attention" not in ASKED.finding(attributed(answer, equal))
    row, column = np.unravel_index(np.abs(answer.found.values).argmax(), answer.found.values.shape)
    said = ASKED.finding(answer)
    assert said.startswith(f"“{answer.forced.src_tokens[column]}” accounts for")
    assert f"of “{answer.forced.tgt_tokens[row]}”" in said


def test_an_attribution_is_far_from_complete_only_with_large_residuals(answer: Attributed) -> None:
    found = answer.found
    differences = (found.own - found.without)[:, None] / found.values.shape[1]
    whole = np.broadcast_to(differences, found.values.shape)
    assert completeness(attributed(answer, whole)) == "Residuals are 0.0% of the differences."
    assert "far from complete" in completeness(attributed(answer, np.zeros_like(found.values)))


def test_weights_are_said_to_matter_only_where_the_output_changes(shifted: Shifted) -> None:
    asked = ChangedWeights("demo-en-fr", TEXT)
    assert asked.finding(shifted).startswith("These weights matter")
    kept = {
        slug: replace(one, best=np.broadcast_to(one.own_best, one.best.shape))
        for slug, one in shifted.shifts.items()
    }
    assert "explain little" in asked.finding(replace(shifted, shifts=kept))
    still = {
        slug: replace(one, weights_moved=np.zeros_like(one.weights_moved))
        for slug, one in kept.items()
    }
    said = asked.finding(replace(shifted, shifts=still))
    assert "hardly move, either" in said
    assert "explain" not in said


@pytest.mark.parametrize("one_head", ["9.1", "2", "2.0", "x"])
def test_a_head_that_is_not_there_is_refused(one_head: str, answer: Attributed) -> None:
    with pytest.raises(UserError, match="2 layers of 4 heads"):
        replace(ASKED, one_head=one_head).shown(answer)
    with pytest.raises(UserError, match="2 layers of 4 heads"):
        Have().answer(ChangedWeights("demo-en-fr", TEXT, one_head=one_head))
