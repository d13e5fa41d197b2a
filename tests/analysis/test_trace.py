import pytest
import torch

from s2s.analysis import KINDS, capture, capture_grams
from s2s.analysis.trace import capture_value_norms
from s2s.config import override
from tests.model.conftest import build, shrunk

SRC = torch.tensor([[5, 9, 4, 2], [6, 2, 0, 0]])
TGT = torch.tensor([[1, 7, 8], [1, 5, 2]])


def test_every_layer_is_seen_once_and_the_hooks_are_gone_after() -> None:
    model = build(shrunk("small"))
    with capture(model) as trace:
        model(SRC, TGT)
    for kind, shape in (
        (trace.encoder, (2, 3, 4, 4)),
        (trace.decoder, (2, 3, 3, 3)),
        (trace.cross, (2, 3, 3, 4)),
    ):
        assert [tuple(layer.shape) for layer in kind] == [shape, shape]
    assert not any(module._forward_hooks for module in model.modules())
    model(SRC, TGT)
    assert len(trace.cross) == 2


def test_the_hooks_are_gone_when_something_breaks() -> None:
    model = build(shrunk("small"))
    with pytest.raises(RuntimeError), capture(model):
        raise RuntimeError
    assert not any(module._forward_hooks for module in model.modules())


def test_padding_gets_no_weight() -> None:
    model = build(shrunk("small"))
    with capture(model) as trace:
        model(SRC, TGT)
    for layer in (*trace.cross, *trace.encoder):
        assert float(layer[1, :, :, 2:].abs().max()) == 0.0


@pytest.mark.parametrize("changes", [{}, {"model.attention.output_projection": False}])
def test_value_norms_are_the_roots_of_the_grams_diagonals(changes: dict[str, object]) -> None:
    model = build(override(shrunk("small"), changes))
    with capture_grams(model) as grams, capture_value_norms(model) as norms:
        model(SRC, TGT)
    for kind in KINDS:
        for gram, found in zip(getattr(grams, kind), getattr(norms, kind), strict=True):
            squares = gram.diagonal(dim1=-2, dim2=-1).transpose(1, 2)  # (batch, heads, key_len)
            torch.testing.assert_close(found, squares.sqrt())
