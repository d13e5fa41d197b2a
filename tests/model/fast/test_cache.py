"""Rows that fork, die, part and leave: each continues as if it had always stood alone."""

import random

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor

from s2s.config import override
from s2s.model.fast import cache as cached
from s2s.model.fast.layers import AbsorbedMemory
from s2s.model.fast.stepper import FusedStepper, ModuleStepper, stepper_for
from s2s.model.layers import ACTIVATIONS
from s2s.model.transformer import Transformer, inference
from tests.model.conftest import DISTINCT, SRC_VOCAB, TGT_VOCAB, build, shrunk

KINDS = ("sinusoidal", "rotary", "alibi", "relative")


def moves(n_rows: int, width: int, rng: random.Random) -> list[int]:
    """What a search does next to so many families of `width` rows: fork, permute, narrow, drop, or anything at all."""
    families = [list(range(start, start + width)) for start in range(0, n_rows, width)]
    kind = rng.choice(["within", "within", "drop", "widen", "narrow", "wild"])
    if kind == "wild":
        return [rng.randrange(n_rows) for _ in range(rng.randint(1, 7))]
    if kind == "drop" and len(families) > 1:
        families = sorted(rng.sample(families, len(families) - 1))
    new = {"widen": width + 1, "narrow": max(1, width - 1)}.get(kind, width)
    return [rng.choice(family) for family in families for _ in range(min(new, 4))]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(n_sources=st.sampled_from([1, 3]), rng=st.randoms(use_true_random=False))
@torch.no_grad()
def test_the_fused_stepper_equals_the_modules_whatever_a_search_does(
    kind: str,
    sentences: tuple[Tensor, Tensor],
    monkeypatch: pytest.MonkeyPatch,
    n_sources: int,
    rng: random.Random,
) -> None:
    monkeypatch.setattr(cached, "ROOM", 2)  # so that room is made again and again
    model = build(override(shrunk("small"), {"model.positions.kind": kind}))
    draw = torch.Generator().manual_seed(5)
    with inference(model):
        fused = FusedStepper(model, sentences[0][:n_sources])
        modules = ModuleStepper(model, sentences[0][:n_sources])
        for _ in range(14):
            tokens = torch.randint(3, TGT_VOCAB, (fused.n_rows,), generator=draw)
            torch.testing.assert_close(
                fused.step(tokens), modules.step(tokens), rtol=1e-4, atol=1e-4
            )
            torch.testing.assert_close(fused.states, modules.states, rtol=1e-4, atol=1e-4)
            rows = torch.tensor(moves(fused.n_rows, fused.cache.beam, rng))
            fused.reorder(rows)
            modules.reorder(rows)
            assert fused.n_rows == modules.n_rows == len(rows)


@pytest.mark.parametrize("name", DISTINCT)
@pytest.mark.parametrize(("n_sources", "src_len"), [(1, 7), (1, 40), (3, 7), (3, 21)])
@torch.no_grad()
def test_every_preset_decodes_as_its_modules_do(name: str, n_sources: int, src_len: int) -> None:
    model = build(shrunk(name))
    draw = torch.Generator().manual_seed(2)
    src = torch.randint(3, SRC_VOCAB, (n_sources, src_len), generator=draw)
    for row in range(1, n_sources):
        src[row, src_len - row :] = model.config.ids.pad
    with inference(model):
        fused = FusedStepper(model, src)
        modules = ModuleStepper(model, src)
        torch.testing.assert_close(
            fused.memory[modules.src_mask[:, 0, 0]],
            modules.memory[modules.src_mask[:, 0, 0]],
            rtol=1e-4,
            atol=1e-4,
        )
        for width in (1, 4, 4, 12, 2):
            rows = torch.arange(n_sources).repeat_interleave(width) * (fused.n_rows // n_sources)
            fused.reorder(rows)
            modules.reorder(rows)
            tokens = torch.randint(3, TGT_VOCAB, (len(rows),), generator=draw)
            torch.testing.assert_close(
                fused.step(tokens), modules.step(tokens), rtol=1e-4, atol=1e-4
            )


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("place", ["pre", "post"])
@torch.no_grad()
def test_one_source_is_decoded_as_the_modules_do(activation: str, place: str) -> None:
    changes = {
        "model.feed_forward.activation": activation,
        "model.norm.place": place,
        "model.attention.bias": place == "post",
    }
    model = build(override(shrunk("small"), changes))
    src = torch.tensor([[5, 9, 4, 2]])
    with inference(model):
        fused = FusedStepper(model, src)
        modules = ModuleStepper(model, src)
        assert isinstance(fused.memories[0], AbsorbedMemory)
        for token in (1, 6, 9):
            torch.testing.assert_close(
                fused.step(torch.tensor([token])),
                modules.step(torch.tensor([token])),
                rtol=1e-4,
                atol=1e-4,
            )


def test_a_source_without_tokens_gives_numbers() -> None:
    model = build(shrunk("small"))
    with inference(model):
        assert (
            FusedStepper(model, torch.tensor([[5, 9, 2], [0, 0, 0]]))
            .step(torch.tensor([1, 1]))
            .isfinite()
            .all()
        )


@torch.no_grad()
def test_slots_that_nobody_descends_from_are_used_again(sentences: tuple[Tensor, Tensor]) -> None:
    model = build(shrunk("small"))
    with inference(model):
        stepper = FusedStepper(model, sentences[0])
        stepper.step(torch.full((3,), 1))
        stepper.reorder(torch.arange(3).repeat_interleave(5))
        for _ in range(200):
            stepper.step(torch.full((15,), 4))
            stepper.reorder(
                torch.arange(3).repeat_interleave(5) * 5
            )  # the first of each family lives on, five times
    assert stepper.cache.length == 201
    assert stepper.cache.buffers[0].shape[3] < 3 * 201  # not five times


@torch.no_grad()
def test_weights_that_change_are_laid_out_again(sentences: tuple[Tensor, Tensor]) -> None:
    model = build(shrunk("small"))
    first = logits(model, sentences[0])
    torch.testing.assert_close(logits(model, sentences[0]), first, rtol=0, atol=0)
    before = model.fused
    logits(model, sentences[0])
    assert model.fused is before
    model.decoder.layers[0].self_attention.query.weight.mul_(2.0)
    assert (logits(model, sentences[0]) - first).abs().max() > 1e-3


def test_a_model_in_training_is_decoded_with_the_weights_it_has_now(
    sentences: tuple[Tensor, Tensor],
) -> None:
    model = build(shrunk("small")).train()
    optimizer = torch.optim.Adam(
        model.parameters(), lr=0.1, fused=True
    )  # which leaves the weights' versions as they are
    for _ in range(3):
        model(*sentences).square().mean().backward()
        optimizer.step()
        found = logits(model, sentences[0])
        expected = model.eval()(sentences[0], torch.tensor([[1, 5]] * 3))[:, -1]
        torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3)
        torch.testing.assert_close(
            logits(model, sentences[0]), expected, rtol=1e-3, atol=1e-3
        )  # which is not in training now
        model.train()


def logits(model: Transformer, src: Tensor) -> Tensor:
    with inference(model):
        stepper = FusedStepper(model, src)
        stepper.step(torch.full((len(src),), 1))
        return stepper.step(torch.full((len(src),), 5))


def test_hooks_are_shown_the_modules(sentences: tuple[Tensor, Tensor]) -> None:
    model = build(shrunk("small"))
    with inference(model):
        assert isinstance(stepper_for(model, sentences[0]), FusedStepper)
        hook = model.decoder.layers[0].cross_attention.weights.register_forward_hook(
            lambda module, inputs, output: output
        )
        assert isinstance(stepper_for(model, sentences[0]), ModuleStepper)
        hook.remove()
        assert isinstance(stepper_for(model, sentences[0]), FusedStepper)


@torch.no_grad()
def test_fast_is_near_exact_and_the_same_in_any_batch(sentences: tuple[Tensor, Tensor]) -> None:
    model = build(override(shrunk("small"), {"model.output.bias": True}))
    tokens = torch.tensor([1, 7, 22])
    with inference(model):
        exact = stepper_for(model, sentences[0]).step(tokens)
        fast = stepper_for(model, sentences[0], "fast").step(tokens)
        alone = stepper_for(model, sentences[0][1:2, :3], "fast").step(tokens[1:2])
    assert 0 < (fast - exact).abs().max() < 0.05 * exact.std()
    torch.testing.assert_close(alone[0], fast[1], rtol=1e-4, atol=1e-3)
