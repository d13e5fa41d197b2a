"""First weights."""

import pytest
import torch
import torch.nn.functional as F

from s2s.config import POSITION_KINDS, PRESETS, override
from s2s.model.init import WithoutDraws, initialize
from s2s.model.transformer import Transformer


def model(kind: str, **settings: object) -> Transformer:
    changes = {"model.init.kind": kind, **{f"model.{key}": each for key, each in settings.items()}}
    made = Transformer(override(PRESETS["transformer-tiny"].recipe, changes).model, 500, 500).eval()
    initialize(made, 1)
    return made


@torch.no_grad()
def test_fairseqs_widths_are_those_of_torchs_own_attention_and_feed_forward() -> None:
    ours = model("fairseq").encoder.layers[0]
    theirs = torch.nn.TransformerEncoderLayer(128, 4, 256)
    pairs = [
        (
            torch.cat([ours.self_attention.query.weight, ours.self_attention.value.weight]),
            theirs.self_attn.in_proj_weight,
        ),
        (ours.feed_forward.up.weight, theirs.linear1.weight),
        (ours.feed_forward.down.weight, theirs.linear2.weight),
        (ours.feed_forward.down.bias, theirs.linear2.bias),
    ]
    for mine, other in pairs:
        assert float(mine.abs().max()) == pytest.approx(float(other.abs().max()), rel=0.05)
        assert float(mine.std()) == pytest.approx(float(other.std()), rel=0.15)


@torch.no_grad()
def test_fairseqs_start_keeps_positions_further_apart_where_norms_come_after_the_sums() -> None:
    src = torch.randint(4, 500, (8, 18), generator=torch.Generator().manual_seed(2))
    likeness = {}
    for kind in ("xavier", "fairseq"):
        memory = F.normalize(model(kind).encoder(src, src.ne(0)[:, None, None]), dim=-1)
        likeness[kind] = float((memory @ memory.transpose(1, 2)).mean())
    assert likeness["fairseq"] < likeness["xavier"] - 0.1


@pytest.mark.parametrize("position", POSITION_KINDS)
@pytest.mark.parametrize("kind", ["xavier", "normal", "torch", "fairseq"])
def test_a_seed_decides_every_weight_whatever_was_in_memory(kind: str, position: str) -> None:
    drawn = model(kind, **{"n_layers": 1, "positions.kind": position, "output.bias": True})
    before = torch.get_rng_state()
    with WithoutDraws():
        empty = Transformer(drawn.config, 500, 500)
    assert torch.equal(torch.get_rng_state(), before)
    for module in empty.modules():
        if isinstance(module, torch.nn.Linear | torch.nn.Embedding):
            for weight in module.parameters():
                torch.nn.init.constant_(weight, float("nan"))
    initialize(empty, 1)
    for (name, one), other in zip(drawn.named_parameters(), empty.parameters(), strict=True):
        assert torch.equal(one, other), name


def test_the_bias_of_an_output_that_is_tied_starts_at_0_or_is_drawn_from_the_seed() -> None:
    for kind in ("xavier", "normal", "torch", "fairseq"):
        one, other = (
            model(kind, **{"n_layers": 1, "output.bias": True}).output.bias for _ in range(2)
        )
        assert one is not None
        assert other is not None
        assert torch.equal(one, other)
        assert bool(one.any()) == (kind == "torch")
        assert float(one.detach().abs().max()) <= 128**-0.5
