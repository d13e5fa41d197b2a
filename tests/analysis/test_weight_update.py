"""One update of the weights, beside torch's own optimizer and a change of a single weight."""

import numpy as np
import torch
import torch.nn.functional as F

from s2s.analysis import weight_update
from s2s.config import override
from s2s.model import Transformer
from tests.model.conftest import build, shrunk

SRC = (5, 6, 2)
TGT = (1, 7, 8, 2)
RATE = 0.1


def losses(model: Transformer, tgt: torch.Tensor) -> torch.Tensor:
    logits = model(torch.tensor([SRC]), tgt[None, :-1])
    return F.cross_entropy(logits[0], tgt[1:], reduction="none")


def test_an_update_is_one_step_of_gradient_descent_and_leaves_the_model_alone() -> None:
    recipe = shrunk("small")
    model, twin = build(recipe), build(recipe)
    twin.load_state_dict(model.state_dict())
    tgt = torch.tensor(TGT)
    found = weight_update(model, SRC, TGT, rate=RATE)
    twin.eval()
    optimizer = torch.optim.SGD(twin.parameters(), lr=RATE)
    before = losses(twin, tgt)
    before.mean().backward()
    optimizer.step()
    after = losses(twin, tgt)
    np.testing.assert_allclose(found.losses_before, before.detach(), rtol=1e-5)
    np.testing.assert_allclose(found.losses_after, after.detach(), rtol=1e-4)
    np.testing.assert_allclose(found.after, twin.output.weight[tgt[1:]].detach(), atol=1e-6)
    np.testing.assert_allclose(found.after, found.before - RATE * found.gradient, atol=1e-6)
    assert found.losses_after.mean() < found.losses_before.mean()
    np.testing.assert_array_equal(model.output.weight[tgt[1:]].detach(), found.before)


def test_a_first_token_that_the_model_is_given_is_no_part_of_the_loss() -> None:
    recipe = override(shrunk("small"), {"model.ids.tgt_first": TGT[1]})
    model = build(recipe)
    tgt = torch.tensor(TGT)
    found = weight_update(model, SRC, TGT, rate=RATE)
    before = losses(model, tgt)[1:]
    before.mean().backward()
    gradient = model.output.weight.grad
    assert gradient is not None
    np.testing.assert_allclose(found.losses_before, before.detach(), rtol=1e-5)
    np.testing.assert_allclose(found.gradient, gradient[tgt[2:]], atol=1e-6)
    assert len(found.before) == len(found.after) == len(found.losses_after) == len(TGT) - 2


def test_the_gradient_is_how_fast_the_loss_rises_with_that_weight() -> None:
    model = build(shrunk("small")).eval()
    tgt = torch.tensor(TGT)
    found = weight_update(model, SRC, TGT, rate=RATE)
    row, column = found.steepest(8)
    assert column < 8
    assert abs(found.gradient[row, column]) == np.abs(found.gradient[:, :8]).max()
    step = 1e-2
    with torch.no_grad():
        weight = model.output.weight
        sides = []
        for change in (step, -2 * step):
            weight[TGT[1 + row], column] += change
            sides.append(float(losses(model, tgt).mean()))
    slope = (sides[0] - sides[1]) / (2 * step)
    np.testing.assert_allclose(slope, found.gradient[row, column], rtol=0.02)
