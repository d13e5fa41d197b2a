"""The experiments of the Walkthrough, against plain arithmetic."""

from types import MappingProxyType

import numpy as np
import pytest
import torch
from torch import Tensor

from s2s.analysis.experiments import (
    WithoutResidual,
    activation_curves,
    erasure_effect,
    frozen_copy,
    gradient_flow,
    norm_trace,
    weights_by_fill,
    without_residual,
)
from s2s.analysis.forward_trace import trace_forward
from s2s.config import override
from s2s.model import Transformer, masks
from s2s.model.layers import Residual
from tests.model.conftest import DISTINCT, build, shrunk

SRC = (5, 9, 4, 12, 7, 2)
TGT = (1, 7, 8, 15, 4, 2)
CLOSE = MappingProxyType({"rtol": 1e-4, "atol": 1e-5})


def test_a_masked_key_gets_no_weight_with_any_fill_and_an_empty_row_is_nan_uniform_or_zero() -> (
    None
):
    trace = trace_forward(build(shrunk("small")), SRC, TGT[:-1], 0).encoder.self_attention
    may = np.array([True, True, False, True, False, True])
    found = weights_by_fill(trace, 1, 2, may)
    powers = np.exp(trace.scores[1, 2]) * may
    for each in found:
        np.testing.assert_allclose(each, powers / powers.sum(), **CLOSE)
    empty = weights_by_fill(trace, 1, 2, np.zeros(6, bool))
    assert np.isnan(empty.minus_infinity).all()
    np.testing.assert_allclose(empty.minus_billion, np.full(6, 1 / 6), rtol=1e-6)
    assert not empty.lowest.any()


@pytest.mark.parametrize("name", DISTINCT)
def test_erasing_one_position_changes_one_row_of_the_feed_forward_and_many_of_attention(
    name: str,
) -> None:
    model = build(shrunk(name))
    for layer in range(len(model.encoder.layers)):
        trace = trace_forward(model, SRC, TGT[:-1], layer).encoder
        found = erasure_effect(model, trace, layer, 3)
        assert (np.abs(found.attention).max(1) > 0).sum() > 1
        part = model.encoder.layers[layer].feed_forward
        if part is None:
            assert found.feed_forward is None
            continue
        moved = np.abs(found.feed_forward).max(1) > 0
        np.testing.assert_array_equal(moved, np.arange(6) == 3)
        nothing = part(torch.zeros(1, 1, model.config.d_model))[0, 0].detach().numpy()
        np.testing.assert_allclose(
            found.feed_forward[3], nothing - trace.feed_forward.out[3], **CLOSE
        )


@pytest.mark.parametrize("name", ["small", "modern-small", "blocks", "first-steps"])
def test_a_norm_scales_every_token_to_the_same_size(name: str) -> None:
    model = build(shrunk(name))
    joined = trace_forward(model, SRC, TGT[:-1], 0).encoder.self_residual
    found = norm_trace(
        model.encoder.layers[0].self_residual.norm, joined.norm_input, joined.norm_output
    )
    if model.config.norm.kind == "none":
        assert found is None
        return
    by_hand = found.normalized * found.scale + (0 if found.shift is None else found.shift)
    np.testing.assert_allclose(joined.norm_output, by_hand, **CLOSE)
    mean = found.input.mean(1, keepdims=True) if model.config.norm.kind == "layer" else 0
    size = np.sqrt(((found.input - mean) ** 2).mean(1, keepdims=True) + model.config.norm.eps)
    np.testing.assert_allclose(found.normalized, (found.input - mean) / size, **CLOSE)


def test_the_curves_are_those_of_their_formulas() -> None:
    u = np.linspace(-4, 4, 33, dtype=np.float32)
    found = activation_curves(u)
    np.testing.assert_array_equal(found["relu"], np.maximum(u, 0))
    np.testing.assert_allclose(found["silu"], u / (1 + np.exp(-u)), **CLOSE)
    error = torch.erf(torch.from_numpy(u) / 2**0.5).numpy()
    np.testing.assert_allclose(found["gelu"], u * (1 + error) / 2, **CLOSE)


def losses(model: Transformer, encoder: Tensor, decoder: Tensor) -> Tensor:
    """(batch,), with the layers applied one by one to the two embedded sequences (batch, length, d_model)."""
    src = torch.tensor([[*SRC]])
    mask = masks.padding(src, model.config.ids.pad)
    order = model.encoder.embed.position.order(len(SRC), device=src.device)
    for layer in model.encoder.layers:
        encoder = layer(encoder, mask, order)
    memory = model.encoder.final_norm(encoder)
    n = len(TGT) - 1
    order = model.decoder.embed.position.order(n, device=src.device)
    for layer in model.decoder.layers:
        decoder = layer(decoder, memory, masks.causal(n), mask, order)
    log_probs = model.project(model.decoder.final_norm(decoder)).log_softmax(-1)
    return -log_probs[:, torch.arange(n), TGT[1:]].mean(1)


@pytest.mark.parametrize("name", ["small", "blocks", "t5-small", "first-steps"])
def test_gradients_are_those_of_small_steps_along_the_stream(name: str) -> None:
    model = build(shrunk(name)).double()
    for changed in (frozen_copy(model), without_residual(model)):
        begins = [
            changed.encoder.embed(torch.tensor([SRC])).detach(),
            changed.decoder.embed(torch.tensor([TGT[:-1]])).detach(),
        ]
        found = gradient_flow(changed, SRC, TGT)
        assert found.loss == pytest.approx(float(losses(changed, *begins)), rel=1e-5)
        for at, lengths in enumerate((found.encoder, found.decoder)):
            n = begins[at].numel()
            step = 1e-5 * torch.eye(n, dtype=torch.float64).view(n, *begins[at].shape[1:])
            ends = []
            for moved in (begins[at] + step, begins[at] - step):
                whole = [each.expand(n, -1, -1) for each in begins]
                whole[at] = moved
                ends.append(losses(changed, *whole))
            total = (((ends[0] - ends[1]) / 2e-5) ** 2).sum()
            assert lengths[0] == pytest.approx(float(total) ** 0.5, rel=1e-3, abs=1e-9)


def test_the_gradient_is_not_of_a_first_token_that_the_model_is_given() -> None:
    recipe = shrunk("small")
    free = build(recipe)
    given = build(override(recipe, {"model.ids.tgt_first": TGT[1]}))  # the same weights
    log_probs = free(torch.tensor([SRC]), torch.tensor([TGT[:-1]])).log_softmax(-1)[0]
    of_tokens = -log_probs.detach()[torch.arange(len(TGT) - 1), TGT[1:]]
    for model, first in ((free, 0), (given, 1)):
        found = gradient_flow(frozen_copy(model), SRC, TGT)
        assert found.loss == pytest.approx(float(of_tokens[first:].mean()), rel=1e-5)


def test_a_layer_without_its_residual_outputs_the_sublayer_alone() -> None:
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(1, 4, 24, generator=generator)
    for name in ("small", "blocks"):
        part = build(shrunk(name)).encoder.layers[0].self_residual
        assert isinstance(part, Residual)
        expected = torch.tanh(part.norm(x)) if part.is_pre else part.norm(torch.tanh(x))
        torch.testing.assert_close(WithoutResidual(part)(x, torch.tanh), expected)


@pytest.mark.parametrize("make", [frozen_copy, without_residual])
def test_changing_a_frozen_copy_leaves_the_model_as_it_was(make) -> None:  # type: ignore[no-untyped-def]
    model = build(shrunk("small"))
    before = model(torch.tensor([SRC]), torch.tensor([TGT]))
    other = make(model)
    gradient_flow(other, SRC, TGT)
    assert not any(module._forward_hooks for module in model.modules())
    assert all(weight.grad is None and weight.requires_grad for weight in model.parameters())
    assert not any(weight.requires_grad for weight in other.parameters())
    assert other.lock is not model.lock
    assert any(isinstance(module, Residual) for module in model.modules())
    assert any(isinstance(module, Residual) for module in other.modules()) == (make is frozen_copy)
    torch.testing.assert_close(model(torch.tensor([SRC]), torch.tensor([TGT])), before)
