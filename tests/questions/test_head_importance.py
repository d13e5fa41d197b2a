"""What is said of the importance of heads, and when it is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from s2s.analysis import heads
from s2s.questions import (
    Have,
    HeadImportance,
    Importance,
    RoleAndImportance,
    by_gradient,
    pruning,
)

ASKED = HeadImportance("demo-en-fr")


@pytest.fixture(scope="module")
def answer() -> Importance:
    return Have().answer(ASKED)


def flat(found: heads.PerHead, value: float) -> heads.PerHead:
    each = {kind: np.full_like(values, value) for kind, values in found.value.items()}
    return heads.PerHead(each, each, each)


def test_the_heads_above_the_threshold_are_counted_with_their_intervals(answer: Importance) -> None:
    value, low = (
        np.concatenate([each.ravel() for each in by_kind.values()])
        for by_kind in (answer.measured.value, answer.measured.low)
    )
    least = 0.05 * answer.loss
    said = ASKED.finding(answer)
    assert said.startswith(f"{(value > least).sum()} of 24 heads raise the loss by more than 5 %")
    assert f"{(low > least).sum()} of them with their whole 95 % interval" in said
    assert f"{value.max():.3f} nats per token" in said


def test_heads_that_hardly_matter_are_not_counted(answer: Importance) -> None:
    said = ASKED.finding(replace(answer, measured=flat(answer.measured, 0.04 * answer.loss)))
    assert said == "No head raises the loss by more than 5 % when switched off."
    every = replace(answer, measured=flat(answer.measured, 0.06 * answer.loss))
    assert "all of them with their whole 95 % interval" in ASKED.finding(every)
    assert "with uniform weights" in replace(ASKED, how="uniform").finding(every)


def test_the_gradient_s_order_is_said_to_differ_only_where_it_does(answer: Importance) -> None:
    assert "would put cross-attention, layer 2 head 1 first" in by_gradient(answer)
    assert "the same head first" in by_gradient(replace(answer, gradient=answer.measured))
    assert "correlation" not in by_gradient(replace(answer, agreement={"all": None}))


def test_the_loss_is_said_to_double_only_where_it_does(answer: Importance) -> None:
    curve = answer.curves["measured"]
    below = sum(loss < 2 * answer.loss for loss in curve.loss)  # the curve rises
    assert f"doubled when {curve.n_pruned[below]} of 24 heads" in pruning(answer)
    never = replace(curve, loss=(answer.loss,) * len(curve.loss))
    assert "does not double" in pruning(replace(answer, curves={"measured": never}))


def test_a_role_explains_importance_only_where_chance_does_not() -> None:
    asked = RoleAndImportance("demo-en-fr", strength="spread")
    found = Have().answer(asked)
    assert "the less that head matters" in asked.finding(found)
    assert "does not go with" in replace(asked, strength="previous").finding(found)
    equal = replace(found.importance, measured=flat(found.importance.measured, 0.1))
    assert asked.finding(replace(found, importance=equal)) == ""


def test_the_table_has_every_head_with_both_importances(answer: Importance) -> None:
    table = ASKED.table(answer)
    assert len(table.rows) == 24
    row = next(row for row in table.rows if row[:3] == ["decoder", 2, 3])
    assert row[3] == answer.measured.value["decoder"][1, 2]
    assert row[7] == answer.gradient.low["decoder"][1, 2]
