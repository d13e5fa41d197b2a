from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import s2s
from s2s.analysis import KINDS, REDUCTIONS, Attention, HeadSelection, capture, reduced
from s2s.analysis.reduce import rolled
from s2s.analysis.trace import capture_grams
from s2s.config import override
from s2s.model import Transformer
from tests.conftest import make_run
from tests.model.conftest import build, shrunk

SRC = torch.tensor([[5, 9, 4, 12, 2]])
TGT = torch.tensor([[1, 7, 8, 15]])
WHICH = [
    HeadSelection(kind, layer, head)
    for kind in KINDS
    for layer in (None, 0, 1)
    for head in (None, 0, 2)
]
MODELS = {  # what a preset may do to values: their width, no projection, no biases, rotary positions, post-norm
    "small": {},
    "t5-small": {},
    "first-steps": {"model.encoder.n_layers": 2, "model.decoder.n_layers": 2},
    "rotary": {"model.positions.kind": "rotary"},
    "narrow": {"model.d_head": 5},
    "post": {"model.norm.place": "post"},
}


def model_of(name: str) -> Transformer:
    recipe = shrunk(name if name in ("small", "t5-small", "first-steps") else "small")
    return build(override(recipe, MODELS[name]))


def looked(model: Transformer) -> Attention:
    with capture(model) as trace, capture_grams(model) as grams:
        model(SRC, TGT)
    kept = [
        {
            kind: np.stack([layer[0].float().numpy() for layer in getattr(each, kind)])
            for kind in KINDS
        }
        for each in (trace, grams)
    ]
    src, tgt = (tuple(map(str, ids[0].tolist())) for ids in (SRC, TGT))
    return Attention(src, tgt, (*tgt[1:], "2"), **kept[0], grams=kept[1])


@pytest.fixture(scope="module")
def attention() -> Attention:
    return looked(build(shrunk("small")))


@pytest.fixture(scope="module", params=MODELS)
def opened(request: pytest.FixtureRequest) -> tuple[Transformer, Attention]:
    model = model_of(request.param)
    return model, looked(model)


def test_every_reduction_maps_every_selection(attention: Attention) -> None:
    for which in WHICH:
        for slug in REDUCTIONS:
            if which.kind not in REDUCTIONS[slug].kinds:
                with pytest.raises(
                    ValueError, match=f"`{slug}` is not defined for {which.kind} attention"
                ):
                    reduced(attention, which, slug)
                continue
            before = {kind: getattr(attention, kind).copy() for kind in KINDS}
            picture = reduced(attention, which, slug)
            assert picture.weights.shape == (len(picture.rows), len(picture.keys))
            assert picture.weights.dtype == np.float32
            assert picture.weights.min() >= 0
            if slug != "max":
                np.testing.assert_allclose(picture.weights.sum(1), 1.0, atol=1e-5)
            if which.kind == "decoder":
                assert not np.triu(picture.weights, 1).any()  # nothing looks ahead
            for kind, weights in before.items():
                np.testing.assert_array_equal(getattr(attention, kind), weights)
            assert (
                f"head {which.head + 1} of 3" if which.head is not None else "3 heads"
            ) in picture.name
            assert str(2 if which.layer is None else which.layer + 1) in picture.name


def test_names_distinguish_the_reductions(attention: Attention) -> None:
    for which in WHICH:
        names = [
            reduced(attention, which, slug).name
            for slug, row in REDUCTIONS.items()
            if which.kind in row.kinds
        ]
        alike = (
            which.layer is not None and which.head is not None
        )  # of one head the largest weight is its weight
        assert len(set(names)) == len(names) - alike


def test_mean_and_max_are_those_of_numpy(attention: Attention) -> None:
    for which in WHICH:
        weights = getattr(attention, which.kind)
        layers = [which.layer] if which.layer is not None else [0, 1]
        heads = [which.head] if which.head is not None else [0, 1, 2]
        chosen = np.array([weights[layer, head] for layer in layers for head in heads])
        np.testing.assert_allclose(
            reduced(attention, which, "mean").weights, np.mean(chosen, 0), rtol=1e-5
        )
        np.testing.assert_array_equal(reduced(attention, which, "max").weights, np.max(chosen, 0))


def rollout_by_hand(layers: list[np.ndarray]) -> np.ndarray:
    """Where a random walk ends: from the top layer down, it stays with probability one half or follows a weight."""
    n = len(layers[0])
    found = np.zeros((n, n))
    for start in range(n):
        here = {start: 1.0}
        for weights in reversed(layers):
            there = dict.fromkeys(range(n), 0.0)
            for place, share in here.items():
                for key in range(n):
                    there[key] += share * (0.5 * weights[place, key] + 0.5 * (place == key))
            here = there
        found[start] = [here[key] for key in range(n)]
    return found


def test_rollout_is_a_random_walk_through_the_layers(attention: Attention) -> None:
    for which in WHICH:

        def headed(weights: np.ndarray, head: int | None) -> list[np.ndarray]:
            return [layer.mean(0) if head is None else layer[head] for layer in weights]

        if which.kind == "cross":
            over = headed(attention.cross, which.head)
            chosen = np.mean(over, 0) if which.layer is None else over[which.layer]
            expected = chosen @ rollout_by_hand(headed(attention.encoder, None))
        else:
            expected = rollout_by_hand(
                headed(getattr(attention, which.kind), which.head)[
                    : None if which.layer is None else which.layer + 1
                ]
            )
        np.testing.assert_allclose(
            reduced(attention, which, "rollout").weights, expected, atol=1e-6
        )


def test_rollout_without_layers_is_the_identity() -> None:
    np.testing.assert_array_equal(rolled(np.stack([np.eye(4)] * 3)), np.eye(4))
    np.testing.assert_array_equal(rolled(np.zeros((0, 4, 4))), np.eye(4))


def added(model: Transformer, kind: str) -> list[list[Tensor]]:
    """Each layer's and head's f(x) of every key, (key_len, d_model), by the real module with one weight of 1."""
    stack = model.encoder if kind == "encoder" else model.decoder
    found = list[list[Tensor]]()
    for layer in stack.layers:
        attention = layer.cross_attention if kind == "cross" else layer.self_attention
        inputs: list[Tensor] = []
        watching = attention.value.register_forward_pre_hook(
            lambda _, given, into=inputs: into.append(given[0])
        )
        with torch.inference_mode():
            model(SRC, TGT)
        watching.remove()
        values = attention.value(inputs[0])[0]  # (key_len, heads * d_head)
        heads = []
        for head in range(attention.n_heads):
            alone = torch.zeros_like(values)
            own = slice(head * attention.d_head, (head + 1) * attention.d_head)
            alone[:, own] = values[:, own]
            nothing = attention.output(torch.zeros_like(alone))  # the bias, which is no key's
            heads.append(attention.output(alone) - nothing)
        found.append(heads)
    return found


@pytest.mark.parametrize("kind", KINDS)
@torch.inference_mode()
def test_norms_are_those_of_what_the_modules_add(
    opened: tuple[Transformer, Attention], kind: str
) -> None:
    model, attention = opened
    vectors = added(model, kind)
    weights = torch.from_numpy(getattr(attention, kind))
    n_heads = weights.shape[1]
    for head in (None, *range(n_heads)):
        rows = []
        for layer, heads in enumerate(vectors):
            parts = [
                weights[layer, each][..., None] * heads[each] for each in range(n_heads)
            ]  # (rows, keys, d_model)
            lengths = (torch.stack(parts).sum(0) if head is None else parts[head]).norm(dim=-1)
            rows.append((lengths / lengths.sum(-1, keepdim=True)).numpy())
        for chosen in (None, *range(len(rows))):
            expected = np.mean(rows, 0) if chosen is None else rows[chosen]
            np.testing.assert_allclose(
                reduced(attention, HeadSelection(kind, chosen, head), "norm").weights,
                expected,
                atol=2e-6,
            )


@torch.inference_mode()
def test_the_heads_sum_to_the_attentions_output(
    opened: tuple[Transformer, Attention],
) -> None:
    """So the vectors of the test above are those of the model."""
    model, attention = opened
    module = model.decoder.layers[0].cross_attention
    given: list[Tensor] = []
    hook = module.register_forward_hook(lambda _, inputs, output: given.append(output[0]))
    vectors = added(model, "cross")[0]
    hook.remove()
    total = sum(
        torch.from_numpy(attention.cross[0, head]) @ vectors[head] for head in range(module.n_heads)
    )
    bias = (
        module.output.bias
        if isinstance(module.output, nn.Linear) and module.output.bias is not None
        else 0
    )
    torch.testing.assert_close(total + bias, given[0], atol=1e-5, rtol=1e-4)


def test_a_weight_on_a_zero_vector_counts_nothing(attention: Attention) -> None:
    grams = {**attention.grams, "cross": attention.grams["cross"].copy()}
    grams["cross"][:, 1] = 0.0
    silent = Attention(
        attention.src_tokens,
        attention.tgt_inputs,
        attention.tgt_tokens,
        attention.cross,
        attention.encoder,
        attention.decoder,
        grams,
    )
    weights = reduced(silent, HeadSelection("cross", 1, 0), "norm").weights
    assert not weights[:, 1].any()
    np.testing.assert_allclose(weights.sum(1), 1.0, atol=1e-6)
    grams["cross"][:] = 0.0
    assert not reduced(silent, HeadSelection("cross"), "norm").weights.any()


def test_norms_need_more_than_weights(attention: Attention) -> None:
    kept = Attention(
        attention.src_tokens,
        attention.tgt_inputs,
        attention.tgt_tokens,
        attention.cross,
        attention.encoder,
        attention.decoder,
    )
    with pytest.raises(ValueError, match="only the weights of this attention were recorded"):
        reduced(kept, HeadSelection("cross"), "norm")


def test_shifted_rows_are_those_that_read_the_word(attention: Attention) -> None:
    for which in (HeadSelection("cross", 1, 2), HeadSelection("cross", 0), HeadSelection("cross")):
        usual = reduced(attention, which, "mean")
        later = reduced(attention, which, "shift")
        assert (later.verb, later.rows, later.keys) == ("reads", usual.rows[:-1], usual.keys)
        np.testing.assert_array_equal(later.weights, usual.weights[1:])


def test_a_run_keeps_what_norms_need(tmp_path: Path) -> None:
    attention = s2s.load(make_run(tmp_path / "run", {})).attention("1 2 3", "3 2")
    shapes = {kind: grams.shape for kind, grams in attention.grams.items()}
    assert shapes == {"cross": (1, 4, 4, 4), "encoder": (1, 4, 4, 4), "decoder": (1, 3, 4, 4)}
    for kind, grams in attention.grams.items():
        assert (grams.dtype, getattr(attention, kind).dtype) == (np.float32, np.float32)
        np.testing.assert_allclose(grams, grams.swapaxes(-1, -2), atol=1e-7)
