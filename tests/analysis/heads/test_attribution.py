from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from s2s.analysis import heads
from s2s.analysis.alignment import NO_WORD
from s2s.analysis.heads import Attribution, AttributionInput, attribution
from s2s.config import UserError
from s2s.model import Transformer, inference, masks
from s2s.model.attention import is_hooked
from tests.analysis.heads.test_patching import finished
from tests.model.conftest import build, shrunk

GIVEN = AttributionInput((5, 9, 4, 12, 2), (1, 7, 8, 2), words=(0, 0, 1, 2, NO_WORD), n_steps=20)


def exact(preset: str) -> Transformer:
    """In float64, where only mistakes differ."""
    return build(shrunk(preset)).double()


def attributed(model: Transformer, method: str, given: AttributionInput = GIVEN) -> Attribution:
    return finished(heads.ATTRIBUTIONS[method].attribute(model, given))


class ByHand(torch.nn.Module):
    """From token vectors (rows, src_len, d_model) to log-probabilities (rows, tgt_len), module by module."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: Tensor) -> Tensor:
        model = self.model
        src = torch.tensor([GIVEN.src]).expand(len(x), -1)
        tgt = torch.tensor([GIVEN.tgt]).expand(len(x), -1)
        encoder = model.encoder
        order = encoder.embed.position.order(x.shape[1], device=x.device)
        x = encoder.embed.norm(encoder.embed.position.add(x, src.ne(0)))
        for layer in encoder.layers:
            x = layer(x, masks.padding(src, 0), order)
        logits = model.project(model.decode(tgt[:, :-1], encoder.final_norm(x), src))
        return logits.log_softmax(-1).gather(-1, tgt[:, 1:, None])[..., 0]


def ends(model: Transformer, baseline: str) -> tuple[Tensor, Tensor]:
    """The sentence's token vectors and the baseline's, (1, src_len, d_model) both."""
    tokens = model.encoder.embed.tokens
    vectors = tokens(torch.tensor([GIVEN.src])).detach()
    if baseline == "zero":
        return vectors, torch.zeros_like(vectors)
    return vectors, (tokens.weight.detach().mean(0) * tokens.scale).expand_as(vectors)


@pytest.mark.parametrize(
    ("preset", "baseline"),
    [("small", "zero"), ("small", "mean"), ("first-steps", "mean"), ("t5-small", "zero")],
)
def test_all_three_equal_captum(preset: str, baseline: str) -> None:
    from captum.attr import FeatureAblation, InputXGradient, IntegratedGradients

    model = exact(preset)
    given = replace(GIVEN, baseline=baseline)
    vectors, nothing = ends(model, baseline)
    by_hand = ByHand(model)
    groups = torch.tensor([0, 0, 1, 2, 3])[None, :, None].expand_as(vectors)
    sizes = np.array([2, 2, 1, 1, 1])
    for target in range(3):
        integrated = IntegratedGradients(by_hand).attribute(
            vectors, nothing, target=target, n_steps=20
        )
        gradient = InputXGradient(by_hand).attribute(
            vectors.clone().requires_grad_(), target=target
        )
        removed = FeatureAblation(by_hand).attribute(
            vectors, nothing, target=target, feature_mask=groups
        )
        for name, expected in (
            ("integrated", integrated[0].sum(-1).detach().numpy()),
            ("gradient", gradient[0].sum(-1).detach().numpy()),
            ("occlusion", removed[0, :, 0].numpy() / sizes),
        ):
            np.testing.assert_allclose(
                attributed(model, name, given).values[target], expected, atol=1e-8
            )


@pytest.mark.parametrize("baseline", heads.BASELINES)
def test_integrated_gradients_are_complete(baseline: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attribution, "ATTRIBUTION_ROWS", 7)  # several batches
    model = exact("first-steps")
    found = attributed(model, "integrated", replace(GIVEN, baseline=baseline, n_steps=100))
    with inference(model):
        own, without = ByHand(model)(torch.cat(ends(model, baseline))).numpy()
    np.testing.assert_allclose(found.own, own, atol=1e-12)
    np.testing.assert_allclose(found.without, without, atol=1e-12)
    np.testing.assert_allclose(found.sums, own - without, atol=1e-4)
    np.testing.assert_allclose(found.residuals, found.sums - (own - without), atol=1e-12)
    few = attributed(model, "integrated", replace(GIVEN, baseline=baseline, n_steps=2))
    assert np.abs(few.residuals).max() > 10 * np.abs(found.residuals).max()


def test_occlusion_equals_running_again_without_a_word() -> None:
    model = exact("small")
    vectors, _ = ends(model, "zero")
    without = vectors.clone()
    without[:, :2] = 0
    with inference(model):
        own, fallen = ByHand(model)(torch.cat([vectors, without])).numpy()
    found = attributed(model, "occlusion").values
    np.testing.assert_allclose(found[:, 0], (own - fallen) / 2, atol=1e-12)
    np.testing.assert_allclose(found[:, 0], found[:, 1])


@pytest.mark.parametrize("method", heads.ATTRIBUTIONS)
def test_the_model_is_left_as_it_was(method: str) -> None:
    model = build(shrunk("small")).train()
    with torch.inference_mode():  # as where a page draws
        found = attributed(model, method)
    assert model.training
    assert not any(is_hooked(module) for module in model.modules())
    assert all(weights.grad is None for weights in model.parameters())
    assert found.values.shape == (3, 5)
    assert np.isfinite(found.values).all()


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(UserError, match="no baseline `pad`; choose `zero` or `mean`"):
        replace(GIVEN, baseline="pad")
    with pytest.raises(UserError, match="1 to 300 steps, not 0"):
        replace(GIVEN, n_steps=0)
    with pytest.raises(ValueError, match="cannot have 1 words"):
        replace(GIVEN, words=(0,))
