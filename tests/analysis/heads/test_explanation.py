import math

import numpy as np
import pytest
import torch

from s2s.analysis import Head, ablate, capture, heads
from s2s.analysis.heads import explanation
from s2s.analysis.heads.explanation import jensen_shannon
from s2s.model import inference
from s2s.model.attention import is_hooked
from tests.analysis.heads.test_patching import finished
from tests.model.conftest import build, shrunk

SRC = (5, 9, 4, 12, 2)
TGT = (1, 7, 8)


@pytest.mark.parametrize("chosen", [None, [Head("cross", 1, 2)]])
def test_every_number_equals_one_forward_with_the_row_written_in(
    chosen: list[Head] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explanation, "SHIFT_ROWS", 4)
    model = build(shrunk("small"))
    weights = heads.cross_weights(model, SRC, TGT)
    variants = torch.cat([heads.permuted_weights(weights, 2), heads.uniform_weights(weights)])
    found = finished(heads.shift_output(model, SRC, TGT, variants, chosen))
    src, tgt = torch.tensor([SRC]), torch.tensor([TGT])
    with inference(model):
        own = model(src, tgt)[0].softmax(-1).numpy()
    for variant in range(3):
        for at in range(3):
            handles = []
            for layer, one in enumerate(model.decoder.layers):

                def write(_, __, out, layer=layer, at=at, variant=variant):  # type: ignore[no-untyped-def]
                    out = out.clone()
                    for head in range(3):
                        if chosen is None or (layer, head) == (1, 2):
                            out[0, head, at] = variants[variant, layer, head, at]
                    return out

                handles.append(one.cross_attention.weights.register_forward_hook(write))
            with inference(model):
                new = model(src, tgt)[0, at].softmax(-1).numpy()
            for handle in handles:
                handle.remove()
            middle = (own[at] + new) / 2
            divergence = sum((p * np.log(p / middle)).sum() for p in (own[at], new)) / 2
            variation = np.abs(own[at] - new).sum() / 2
            assert found.total_variation[variant, at] == pytest.approx(variation, abs=1e-5)
            assert found.jensen_shannon[variant, at] == pytest.approx(divergence, abs=1e-5)
            assert found.best[variant, at] == new.argmax()
            assert found.is_changed[variant, at] == (new.argmax() != own[at].argmax())
    picked = [(0, 0), (1, 2)] if chosen is None else [(1, 2)]
    moved = (variants - weights).abs().sum(-1) / 2
    if chosen:
        np.testing.assert_allclose(found.weights_moved, moved[:, *picked[0]], atol=1e-6)
    else:
        np.testing.assert_allclose(found.weights_moved, moved.mean((1, 2)), atol=1e-6)
    assert not any(is_hooked(module) for module in model.modules())


def test_its_own_weights_move_nothing() -> None:
    model = build(shrunk("small"))
    weights = heads.cross_weights(model, SRC, TGT)
    found = finished(heads.shift_output(model, SRC, TGT, weights[None]))
    np.testing.assert_allclose(found.total_variation, 0, atol=1e-6)
    np.testing.assert_allclose(found.weights_moved, 0, atol=1e-6)
    assert not found.is_changed.any()


def test_uniform_at_the_first_position_is_what_ablating_gives() -> None:
    model = build(shrunk("small"))
    weights = heads.cross_weights(model, SRC, TGT)
    head = Head("cross", 0, 1)
    found = finished(heads.shift_output(model, SRC, TGT, heads.uniform_weights(weights), [head]))
    ids = torch.tensor([SRC]), torch.tensor([TGT])
    with inference(model):
        own = model(*ids)[0, 0].softmax(-1)
    with ablate(model, {head: "uniform"}), capture(model):
        changed = model(*ids)[0, 0].softmax(-1)
    expected = float((own - changed).abs().sum() / 2)
    assert found.total_variation[0, 0] == pytest.approx(expected, abs=1e-6)


def test_variants_keep_what_they_promise() -> None:
    generator = torch.Generator().manual_seed(0)
    weights = torch.rand(2, 3, 4, 5, generator=generator).softmax(-1)
    shuffled = heads.permuted_weights(weights, 3)
    torch.testing.assert_close(
        shuffled.sort(-1).values, weights.sort(-1).values.expand(3, *weights.shape)
    )
    assert not torch.equal(shuffled[0], shuffled[1])
    torch.testing.assert_close(heads.permuted_weights(weights, 1), shuffled[:1])  # by seed
    swapped = heads.weights_of_other_heads(weights)
    torch.testing.assert_close(swapped[0, :, 0], weights[:, 1])
    torch.testing.assert_close(swapped[1, :, 2], weights[:, 1])
    assert heads.weights_of_other_heads(weights[:, :1]).shape == (0, 2, 1, 4, 5)
    longer = torch.rand(2, 3, 6, 5, generator=generator)
    torch.testing.assert_close(
        heads.weights_of_other_sentences(weights, [longer])[0], longer[:, :, :4]
    )
    with pytest.raises(ValueError, match="as many keys"):
        heads.weights_of_other_sentences(longer, [weights])


def test_without_a_variant_there_is_nothing() -> None:
    model = build(shrunk("small"))
    nothing = heads.cross_weights(model, SRC, TGT)[None][:0]
    steps = heads.shift_output(model, SRC, TGT, nothing)
    with pytest.raises(StopIteration) as stop:
        next(steps)
    assert stop.value.value.total_variation.shape == (0, 3)


def test_only_cross_attention_looks_at_the_source() -> None:
    model = build(shrunk("small"))
    weights = heads.cross_weights(model, SRC, TGT)
    with pytest.raises(ValueError, match="no weights on the source"):
        finished(heads.shift_output(model, SRC, TGT, weights[None], [Head("encoder", 0, 0)]))


def test_divergence_ranges_from_0_to_ln_2() -> None:
    one = torch.tensor([1.0, 0.0, 0.0])
    other = torch.tensor([0.0, 1.0, 0.0])
    assert float(jensen_shannon(one, one)) == 0
    assert float(jensen_shannon(one, other)) == pytest.approx(math.log(2))
