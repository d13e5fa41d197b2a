"""Direct copying against the whole vocabulary's logits, token by token."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from s2s.analysis.heads import direct_copying, shared_numbers
from s2s.analysis.heads.direct_copying import target_ids
from s2s.analysis.trace import attentions
from s2s.model import Transformer
from tests.analysis.heads.samples import Ids, finished, random_pairs, sharp_model, weights_alone
from tests.analysis.heads.test_induction import SRC, TGT
from tests.model.conftest import build, shrunk


def share_by_hand(model: Transformer, pairs: list[Ids], kind: str) -> np.ndarray:
    """Each head adds its value for each key alone, and the logits are compared with their mean."""
    raising, total = 0.0, 0.0
    for pair in pairs:
        tokens = [SRC[i] for i in pair.src] if kind == "cross" else [TGT[i] for i in pair.tgt[:-1]]
        weights = weights_alone(model, pair)[kind]
        with torch.no_grad():
            added = contributions(model, pair, kind)  # (layers, heads, keys, d_model)
            for key, token in enumerate(tokens):
                if token.startswith("<"):
                    continue
                stream = added[:, :, key]
                norm = model.decoder.final_norm
                if isinstance(norm, torch.nn.LayerNorm):
                    stream = (stream - stream.mean(-1, keepdim=True)) * norm.weight
                logits = stream @ model.output.weight.T
                is_raised = logits[..., TGT.index(token)] > logits.mean(-1)
                weight = weights[..., key].sum(-1)  # (layers, heads)
                raising = raising + weight * is_raised.numpy()
                total = total + weight
    return np.asarray(raising / total)


def contributions(model: Transformer, pair: Ids, kind: str) -> torch.Tensor:
    """What each head adds for each key with a weight of 1, through the module's own output projection."""
    kept: list[torch.Tensor] = []
    hooks = [
        each.value.register_forward_hook(lambda module, inputs, output: kept.append(output[0]))
        for each in attentions(model, kind)
    ]
    model(torch.tensor([pair.src]), torch.tensor([pair.tgt[:-1]]))
    for hook in hooks:
        hook.remove()
    layers = []
    for attention, values in zip(attentions(model, kind), kept, strict=True):
        heads = []
        for head in range(attention.n_heads):
            alone = torch.zeros_like(values)
            columns = slice(head * attention.d_head, (head + 1) * attention.d_head)
            alone[:, columns] = values[:, columns]
            bias = attention.output(torch.zeros_like(values))  # no head's own
            heads.append(attention.output(alone) - bias)
        layers.append(torch.stack(heads))
    return torch.stack(layers)


@pytest.mark.parametrize("kind", ["cross", "decoder"])
@pytest.mark.parametrize("preset", ["small", "first-steps"])
def test_the_share_is_that_of_the_whole_logits(kind: str, preset: str) -> None:
    model = sharp_model() if preset == "small" else build(shrunk(preset))
    pairs = random_pairs(12, seed=4)
    found = finished(direct_copying(model, pairs, *shared_numbers(SRC, TGT)))[kind]
    np.testing.assert_allclose(found.score, share_by_hand(model, pairs, kind), atol=1e-4)
    assert 0 < found.score.min() < found.score.max() < 1
    assert found.n_rows > 20


def test_a_kind_without_tokens_of_the_target_vocabulary_is_left_out() -> None:
    numbers = shared_numbers(SRC, [f"other {token}" for token in TGT])
    assert (target_ids(*numbers) == -1).all()
    assert [*finished(direct_copying(sharp_model(), random_pairs(5), *numbers))] == ["decoder"]
