import copy
import operator

import pytest
import torch
from torch import Tensor

from s2s.analysis import KINDS, capture
from s2s.analysis.intervene import (
    INTERVENTIONS,
    Head,
    ablate,
    all_heads,
    attentions,
    moved,
    override_attention,
)
from s2s.config import UserError
from s2s.model import Transformer, inference, masks, stepper_for
from s2s.model.attention import is_hooked
from s2s.model.fast.stepper import FusedStepper, ModuleStepper
from tests.model.conftest import DISTINCT, build, shrunk

SRC = torch.tensor([[5, 9, 4, 12, 7, 8, 2], [6, 5, 2, 0, 0, 0, 0], [20, 11, 4, 4, 2, 0, 0]])
TGT = torch.tensor(
    [[1, 7, 8, 15, 4], [1, 5, 2, 9, 11], [1, 22, 9, 2, 3]]
)  # without padding, as what is written stands in a cache


def is_free(model: Transformer) -> bool:
    """Whether nothing is hooked."""
    return not any(is_hooked(module) for module in model.modules())


def without(model: Transformer, head: Head) -> Transformer:
    """A copy of the model in which a head's values are zeros."""
    other = copy.copy(model)
    # a lock cannot be copied
    other.fused = None
    other._modules = copy.deepcopy(model._modules)
    attention = attentions(other, head.kind)[head.layer]
    rows = slice(head.head * attention.d_head, (head.head + 1) * attention.d_head)
    with torch.no_grad():
        attention.value.weight[rows] = 0
        if attention.value.bias is not None:
            attention.value.bias[rows] = 0
    return other


def stepwise(model: Transformer, src: Tensor, tgt: Tensor) -> Tensor:
    """(batch, tgt_len, vocab), one token at a time."""
    with inference(model):
        stepper = stepper_for(model, src)
        return torch.stack([stepper.step(tokens).clone() for tokens in tgt.T], 1)


def last(model: Transformer, kind: str) -> Head:
    """The last head of the first layer of a kind."""
    return Head(kind, 0, attentions(model, kind)[0].n_heads - 1)


@pytest.mark.parametrize("preset", DISTINCT)
@pytest.mark.parametrize("kind", KINDS)
def test_a_head_that_is_off_outputs_zeros(preset: str, kind: str) -> None:
    model = build(shrunk(preset))
    head = last(model, kind)
    other = without(model, head)
    with ablate(model, {head: "off"}):
        logits = model(SRC, TGT)
        stepped = stepwise(model, SRC, TGT)
    with inference(other):
        expected = other(SRC, TGT)
    torch.testing.assert_close(logits, expected, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(
        stepped, stepwise(other, SRC, TGT), atol=1e-4, rtol=1e-4
    )  # beside the laid out decoder
    with inference(model):
        assert not torch.allclose(model(SRC, TGT), expected, atol=1e-4)


@pytest.mark.parametrize("preset", DISTINCT)
@pytest.mark.parametrize("sharpness", [1.0, 1e4])  # where nearly all weights come out as 0
def test_a_uniform_head_gives_every_allowed_key_the_same_weight(
    preset: str, sharpness: float
) -> None:
    model = build(shrunk(preset))
    heads = {last(model, kind): "uniform" for kind in KINDS}
    real = masks.padding(SRC, 0)[:, 0]  # (batch, 1, src_len)
    written = torch.ones(5, 5).tril().bool().expand(3, 5, 5)
    allowed = {
        "encoder": real.expand(-1, 7, -1),
        "cross": real.expand(-1, 5, -1),
        "decoder": written,
    }
    with torch.no_grad():
        for attention in (attentions(model, kind)[0] for kind in KINDS):
            attention.query.weight.mul_(sharpness)
    with ablate(model, heads), capture(model) as trace:
        model(SRC, TGT)
    for kind in KINDS:
        share = allowed[kind] / allowed[kind].sum(-1, keepdim=True)
        weights: Tensor = getattr(trace, kind)[0]
        torch.testing.assert_close(weights[:, -1], share)
        if weights.shape[1] > 1:
            assert not torch.allclose(weights[:, 0], share, atol=1e-3)


@pytest.mark.parametrize("preset", DISTINCT)
@pytest.mark.parametrize("how", INTERVENTIONS)
def test_one_token_at_a_time_gives_what_teacher_forcing_gives(preset: str, how: str) -> None:
    model = build(shrunk(preset))
    heads = {Head("cross", 1, 0): how, last(model, "encoder"): how, last(model, "decoder"): how}
    means = {
        head: torch.full((attentions(model, head.kind)[0].d_head,), 0.1 + layer)
        for layer, head in enumerate(heads)
    }
    with ablate(model, heads, means), override_attention(model, 2, [1]):
        torch.testing.assert_close(stepwise(model, SRC, TGT), model(SRC, TGT), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("preset", DISTINCT)
@pytest.mark.parametrize("place", [0, 2])
def test_all_weight_is_on_the_chosen_keys(preset: str, place: int) -> None:
    model = build(shrunk(preset))
    with capture(model) as free:
        before = model(SRC, TGT)
    with override_attention(model, place, [0, 1]), capture(model) as trace:
        after = model(SRC, TGT)
    for layer in trace.cross:
        torch.testing.assert_close(
            layer[:, :, place, :2].sum(-1), torch.ones_like(layer[:, :, place, 0])
        )
        assert float(layer[:, :, place, 2:].abs().max()) == 0.0
    had = free.cross[0]
    has = trace.cross[0]
    torch.testing.assert_close(
        has[:, :, place, 0] / has[:, :, place, 1], had[:, :, place, 0] / had[:, :, place, 1]
    )
    others = [row for row in range(5) if row != place]
    torch.testing.assert_close(has[:, :, others], had[:, :, others])
    torch.testing.assert_close(after[:, :place], before[:, :place])
    assert not torch.allclose(after[:, place], before[:, place], atol=1e-4)


def test_only_the_chosen_heads_are_overridden() -> None:
    model = build(shrunk("small"))
    with capture(model) as free:
        model(SRC, TGT)
    with override_attention(model, 1, [1], [Head("cross", 0, 2)]), capture(model) as trace:
        model(SRC, TGT)
    torch.testing.assert_close(trace.cross[0][:, :2], free.cross[0][:, :2])
    torch.testing.assert_close(trace.cross[0][:, 2, 1, 1], torch.ones(3))
    assert float(trace.cross[1][:, :, 1, 1].max()) < 1.0


def test_a_head_that_is_off_stays_off_when_overridden() -> None:
    model = build(shrunk("small"))
    with (
        ablate(model, {Head("cross", 0, 1): "off"}),
        override_attention(model, 1, [1]),
        capture(model) as trace,
    ):
        model(SRC, TGT)
    torch.testing.assert_close(trace.cross[0][:, :, 1, 1], torch.tensor([[1.0, 0.0, 1.0]] * 3))


def test_moving_weight_keeps_each_rows_sum_and_the_proportions() -> None:
    weights = torch.tensor([[0.1, 0.3, 0.6], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.2, 0.1, 0.2]])
    expected = torch.tensor(
        [[0.25, 0.75, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 0.0], [1 / 3, 1 / 6, 0.0]]
    )
    torch.testing.assert_close(moved(weights, [0, 1, 1]), expected)


def test_the_fast_path_gives_way_only_where_the_decoder_is_hooked() -> None:
    model = build(shrunk("small"))
    found = {}
    for kind in KINDS:
        with ablate(model, {Head(kind, 0, 0): "off"}):
            found[kind] = type(stepper_for(model, SRC))
    assert found == {"encoder": FusedStepper, "decoder": ModuleStepper, "cross": ModuleStepper}


def test_without_heads_nothing_is_hooked() -> None:
    model = build(shrunk("small"))
    with inference(model):
        expected = model(SRC, TGT)
    with ablate(model, {}):
        assert is_free(model)
        assert torch.equal(model(SRC, TGT), expected)


def test_the_hooks_are_gone_when_something_breaks() -> None:
    model = build(shrunk("small"))
    everything = {
        Head(kind, layer, head): "uniform"
        for kind in KINDS
        for layer in range(2)
        for head in range(3)
    }
    with ablate(model, everything), override_attention(model, 1, [0]):
        assert (
            sum(map(is_hooked, model.modules())) == 2 * 6
        )  # of each attention itself, and of its weights
    assert is_free(model)
    with pytest.raises(RuntimeError), ablate(model, everything), override_attention(model, 1, [0]):
        raise RuntimeError
    assert is_free(model)
    with pytest.raises(IndexError), override_attention(model, 1, [99]):
        model(torch.tensor([[5, 2]]), TGT[:1])
    assert is_free(model)


@pytest.mark.parametrize(
    ("heads", "sentence"),
    [
        (
            {Head("sideways", 0, 0): "off"},
            r"^There is no attention `sideways`; there are cross, encoder, decoder\.$",
        ),
        (
            {Head("cross", 2, 0): "off"},
            "There is no cross attention, layer 2, head 0; this model has layers 0 to 1 and heads 0 to 2",
        ),
        ({Head("decoder", 0, -1): "off"}, "There is no decoder attention, layer 0, head -1"),
        ({Head("cross", 0, 3): "uniform"}, "layer 0, head 3"),
        (
            {Head("cross", 0, 0): "louder"},
            "A head cannot be made `louder`; choose off or uniform or mean",
        ),
    ],
)
def test_an_impossible_ablation_is_an_error(heads: dict[Head, str], sentence: str) -> None:
    model = build(shrunk("small"))
    with pytest.raises(UserError, match=sentence), ablate(model, heads):
        pass
    assert is_free(model)


@pytest.mark.parametrize(
    ("place", "keys", "heads", "sentence"),
    [
        (
            -1,
            [0],
            None,
            r"Attention at position -1 cannot be moved to \[0\]; give positions from 0",
        ),
        (0, [], None, r"cannot be moved to \[\]"),
        (0, [1, -2], None, r"cannot be moved to \[1, -2\]"),
        (
            0,
            [0],
            [Head("decoder", 0, 0)],
            "Only cross-attention looks at the source; decoder attention, layer 0, head 0 does not",
        ),
        (0, [0], [Head("cross", 9, 0)], "There is no cross attention, layer 9"),
    ],
)
def test_an_impossible_override_is_an_error(
    place: int, keys: list[int], heads: list[Head] | None, sentence: str
) -> None:
    model = build(shrunk("small"))
    with pytest.raises(UserError, match=sentence), override_attention(model, place, keys, heads):
        pass


def test_heads_are_listed_by_kind_and_layer() -> None:
    model = build(shrunk("small"))
    assert all_heads(model, "encoder", 1) == [Head("encoder", 1, head) for head in range(3)]
    assert all_heads(model)[:7] == [
        *all_heads(model, "cross", 0),
        *all_heads(model, "cross", 1),
        ("encoder", 0, 0),
    ]
    assert len(all_heads(model)) == len(all_heads(model, layer=0)) * 2 == 18


def test_every_intervention_has_label_and_source() -> None:
    assert all(map(operator.attrgetter("label"), INTERVENTIONS.values()))
    assert len({row.about for row in INTERVENTIONS.values()}) == len(INTERVENTIONS)
