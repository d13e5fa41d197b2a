import numpy as np
import pytest

from s2s.analysis import KINDS, all_heads
from s2s.analysis.heads import PerHead, agreement, batched, finish, measure_gradient_importance
from s2s.model import is_hooked
from tests.analysis.heads import naive
from tests.model.conftest import build, shrunk


def test_the_gradient_of_a_gate_is_its_finite_difference() -> None:
    model = build(shrunk("small")).double()
    found = finish(measure_gradient_importance(model, batched(model, naive.PAIRS)))
    step = 1e-5
    for head, value in found.by_head().items():
        more, less = (naive.scaled(model, head, 1 + sign * step) for sign in (1, -1))
        slopes = [
            (naive.loss(more, pair) - naive.loss(less, pair)) / (2 * step) for pair in naive.PAIRS
        ]
        assert value == pytest.approx(sum(map(abs, slopes)) / 14, rel=1e-5, abs=1e-9)
    assert list(found.by_head()) == all_heads(model)


def test_the_model_is_left_as_it_was() -> None:
    model = build(shrunk("small")).train()
    finish(measure_gradient_importance(model, batched(model, naive.PAIRS)))
    assert model.training
    assert not any(is_hooked(module) for module in model.modules())
    assert all(weight.grad is None for weight in model.parameters())


def test_agreement_is_by_kind_and_of_all() -> None:
    def one(*values: float) -> PerHead:
        each = {kind: np.array([values]) for kind in KINDS}
        return PerHead(each, each, each)

    found = agreement(one(1, 2, 3), one(10, 40, 900))
    assert list(found) == [*KINDS, "all"]
    assert all(each and each.spearman == pytest.approx(1.0) for each in found.values())
    assert agreement(one(1, 2), one(2, 1))["cross"] is None
