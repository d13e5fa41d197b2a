"""Each fault changes exactly what it says, on tiny models; without one nothing is hooked."""

import re
from functools import partial
from pathlib import Path

import pytest
import torch
from torch import Tensor

from s2s.config import (
    NO_FAULT,
    POSITION_KINDS,
    TRAINING_FAULTS,
    Recipe,
    SpecialIds,
    UserError,
    override,
)
from s2s.faults import FAULTS, MISTAKES, active, fault_of, install
from s2s.model import Attention, Transformer, inference, is_hooked, stepper_for
from s2s.model.fast.stepper import FusedStepper
from s2s.model.positions import Order
from tests.model.conftest import build, shrunk

ROOT = Path(__file__).parents[2]
# pre-norm with sinusoids, post-norm, relative positions without scale
PRESETS_TRIED = ("small", "blocks", "t5-small")
SRC = torch.tensor([[5, 9, 4, 12, 7, 8, 2]])
TGT = torch.tensor([[1, 7, 8, 15, 4]])


def logits(model: Transformer, src: Tensor = SRC, tgt: Tensor = TGT) -> Tensor:
    with inference(model):
        return model(src, tgt)


def stepwise(model: Transformer, src: Tensor = SRC, tgt: Tensor = TGT) -> Tensor:
    """(batch, tgt_len, vocab), one token at a time over the cache, on the path that is taken."""
    with inference(model):
        stepper = stepper_for(model, src)
        return torch.stack([stepper.step(tokens).clone() for tokens in tgt.T], 1)


def close(left: Tensor, right: Tensor) -> bool:
    return torch.allclose(left, right, atol=2e-5)


def sharing_weights(recipe: Recipe, model: Transformer) -> Transformer:
    other = build(recipe)
    other.load_state_dict(model.state_dict())
    return other


@pytest.fixture(params=PRESETS_TRIED)
def recipe(request: pytest.FixtureRequest) -> Recipe:
    return shrunk(request.param)


def is_free(model: Transformer) -> bool:
    """Whether nothing is hooked or replaced, and decoding takes the fused path."""
    replaced = any(
        {"forward", "add", "rotate", "bias"} & vars(part).keys() for part in model.modules()
    )
    hooked = any(is_hooked(part) for part in model.modules())
    with inference(model):
        return not (hooked or replaced) and isinstance(stepper_for(model, SRC), FusedStepper)


def test_recipes_name_the_faults_of_training() -> None:
    assert tuple(name for name, row in FAULTS.items() if row.when != "inference") == TRAINING_FAULTS
    assert fault_of(NO_FAULT) is None
    with pytest.raises(UserError, match="There is no fault `no-scal`; the nearest are `no-scale`"):
        fault_of("no-scal")


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_ends_and_only_acts_when_it_should(name: str) -> None:
    model = build(shrunk("small"))
    healthy = logits(model)
    row = FAULTS[name]
    for moment in ("training", "inference"):
        with active(model, name, moment):
            changes_model = row.apply is not FAULTS["unshifted-labels"].apply
            assert is_free(model) == (not (changes_model and row.is_active(moment)))
        assert is_free(model)
        assert torch.equal(logits(model), healthy)
    install(model, name)
    assert is_free(model) == (not row.is_outside_weights)


def test_without_a_fault_nothing_is_hooked() -> None:
    model = build(shrunk("small"))
    with active(model, NO_FAULT, "training"), active(model, NO_FAULT, "inference"):
        assert is_free(model)
    install(model, NO_FAULT)
    assert is_free(model)


@pytest.mark.parametrize("name", [name for name, row in FAULTS.items() if row.when == "both"])
def test_decoding_step_by_step_has_the_fault_too(name: str, recipe: Recipe) -> None:
    model = build(recipe)
    with active(model, name, "inference"):
        assert close(stepwise(model), logits(model))


def test_without_a_causal_mask_a_row_depends_on_later_tokens(recipe: Recipe) -> None:
    model = build(recipe)
    later = TGT.clone()
    later[0, -1] = 20
    healthy = logits(model), logits(model, tgt=later)
    assert close(healthy[0][:, :-1], healthy[1][:, :-1])
    with active(model, "no-causal-mask", "training"):
        first, second = logits(model), logits(model, tgt=later)
        assert not any(close(first[:, i], second[:, i]) for i in range(4))
        assert close(stepwise(model), stepwise_of(model, recipe))  # nothing later is there to see


def stepwise_of(model: Transformer, recipe: Recipe) -> Tensor:
    return stepwise(sharing_weights(recipe, model))


def test_without_a_padding_mask_padding_changes_the_logits(recipe: Recipe) -> None:
    model = build(recipe)
    padded = torch.nn.functional.pad(SRC, (0, 3))
    assert close(logits(model), logits(model, padded))
    with active(model, "no-padding-mask", "inference"):
        assert not close(logits(model), logits(model, padded))
        assert not close(stepwise(model), stepwise(model, padded))
        assert close(logits(model), logits(sharing_weights(recipe, model)))  # no padding, no change


@pytest.mark.parametrize("kind", [kind for kind in POSITION_KINDS if kind != "none"])
def test_without_positions_permuted_sources_give_permuted_states(kind: str) -> None:
    recipe = override(shrunk("small"), {"model.positions.kind": kind})
    model = build(recipe)
    order = torch.tensor([3, 0, 6, 2, 5, 1, 4])
    with inference(model):
        assert not close(model.encode(SRC)[:, order], model.encode(SRC[:, order]))
        with active(model, "no-positions", "training"):
            assert close(model.encode(SRC)[:, order], model.encode(SRC[:, order]))
            found = logits(model)
    if kind == "sinusoidal":  # whose weights fit
        none = override(recipe, {"model.positions.kind": "none"})
        assert close(found, logits(sharing_weights(none, model)))


def test_without_the_scale_scores_are_those_of_a_model_that_has_none() -> None:
    for preset in ("small", "blocks"):
        recipe = shrunk(preset)
        model = build(recipe)
        unscaled = sharing_weights(override(recipe, {"model.attention.scaled": False}), model)
        with active(model, "no-scale", "training"):
            assert close(logits(model), logits(unscaled))


def without_residuals(model: Transformer, src: Tensor, tgt: Tensor) -> Tensor:
    """The forward pass written out, each sublayer's output in place of its input. No padding."""

    def through(residual: torch.nn.Module, x: Tensor, sublayer: object) -> Tensor:
        if residual.is_pre:
            return sublayer(residual.norm(x))
        return residual.norm(sublayer(x))

    def on_itself(attention: Attention, mask: Tensor, order: Order, y: Tensor) -> Tensor:
        return attention(y, y, mask, order)

    every = torch.ones(1, 1, 1, src.shape[1], dtype=torch.bool)
    below = torch.ones(tgt.shape[1], tgt.shape[1], dtype=torch.bool).tril()
    encoder, decoder = model.encoder, model.decoder
    x = encoder.embed(src)
    order = encoder.embed.position.order(src.shape[1], device=src.device)
    for layer in encoder.layers:
        attend = partial(on_itself, layer.self_attention, every, order)
        x = through(layer.self_residual, x, attend)
        x = through(layer.feed_forward_residual, x, layer.feed_forward)
    memory = encoder.final_norm(x)
    x = decoder.embed(tgt)
    order = decoder.embed.position.order(tgt.shape[1], device=src.device)
    for layer in decoder.layers:
        attend = partial(on_itself, layer.self_attention, below, order)
        x = through(layer.self_residual, x, attend)
        cross = partial(layer.cross_attention, memory=memory, mask=every)
        x = through(layer.cross_residual, x, cross)
        x = through(layer.feed_forward_residual, x, layer.feed_forward)
    return model.project(decoder.final_norm(x))


def test_without_residuals_the_model_is_its_sublayers_alone(recipe: Recipe) -> None:
    model = build(recipe)
    with torch.inference_mode():
        expected = without_residuals(model, SRC, TGT)
    assert not close(logits(model), expected)
    with active(model, "no-residual", "training"):
        assert close(logits(model), expected)


def test_unshifted_labels_are_the_decoder_inputs() -> None:
    teach = FAULTS["unshifted-labels"].teach
    assert teach is not None
    inputs, labels = teach(TGT)
    assert torch.equal(inputs, labels)
    assert torch.equal(inputs, TGT[:, :-1])


def test_dropout_that_is_left_on_draws_anew() -> None:
    model = build(override(shrunk("small"), {"model.dropout": 0.3}))
    assert torch.equal(logits(model), logits(model))
    with active(model, "dropout-on", "inference"):
        assert not torch.equal(logits(model), logits(model))
        assert not torch.equal(stepwise(model), stepwise(model))
        assert not model.training


def test_a_fault_of_the_model_learns(recipe: Recipe) -> None:
    """Gradients reach every weight that the fault leaves in use."""
    for name in ("no-causal-mask", "no-padding-mask", "no-residual"):
        model = build(recipe)
        with active(model, name, "training"):
            model(SRC, TGT).square().mean().backward()
        assert all(weight.grad is not None for weight in model.parameters())


def test_a_recipe_refuses_a_fault_that_would_change_nothing() -> None:
    recipe = shrunk("t5-small")
    why = "`train.fault` no-scale has nothing to remove: `model.attention.scaled` is false already"
    with pytest.raises(UserError, match=re.escape(why)):
        override(recipe, {"train.fault": "no-scale"})
    with pytest.raises(UserError, match=r"`model.positions.kind` is none already"):
        override(recipe, {"train.fault": "no-positions", "model.positions.kind": "none"})
    with pytest.raises(
        UserError, match="There is no choice of `fault` `no-positon`; the nearest are"
    ):
        override(recipe, {"train.fault": "no-positon"})


def test_recipes_without_a_fault_are_written_as_before() -> None:
    recipe = shrunk("small")
    assert "fault" not in recipe.to_json()["train"]
    broken = override(recipe, {"train.fault": "no-scale"})
    assert broken.to_json()["train"]["fault"] == "no-scale"
    assert Recipe.from_json(broken.to_json()) == broken
    assert Recipe.from_json(recipe.to_json()) == recipe


@pytest.mark.parametrize("part", ["model", "train", "decode"])
def test_the_engine_does_not_know_of_faults(part: str) -> None:
    for path in (ROOT / "s2s" / part).rglob("*.py"):
        text = re.sub(r"page\s+faults", "", path.read_text())  # those of memory
        assert not re.search(r"\bfault", text, re.IGNORECASE), path


@pytest.mark.parametrize("ids", [SpecialIds(), SpecialIds(eos=3, src_first=4, src_last=5)])
def test_a_source_without_its_end_is_read_as_the_rest(ids: SpecialIds) -> None:
    broken = FAULTS["no-source-end"].ids(ids)
    whole = ids.source([7, 8])
    assert broken.source([7, 8]) == [id for id in whole if id != ids.eos]
    assert len(broken.source([7, 8])) == len(whole) - 1
    assert broken.target([7, 8]) == ids.target([7, 8])  # outputs end as before
    assert FAULTS["no-source-end"].ids(SpecialIds()).source([]) == [SpecialIds().eos]


def test_a_mistake_of_a_tutorial_names_a_fault_that_makes_it() -> None:
    for row in MISTAKES:
        assert row.symptom.endswith(".")
        assert row.cure.endswith(".")
        assert row.fault in ("", *FAULTS)
    assert len({row.title for row in MISTAKES}) == len(MISTAKES) == 8
