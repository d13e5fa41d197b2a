import pytest
import torch

from s2s.analysis import encode_one_by_one, encoding_times
from s2s.config import POSITION_KINDS, ModelConfig, Norm, Positions, Stack
from s2s.model import Transformer, inference, new_model


def tiny(kind: str, place: str) -> Transformer:
    stack = Stack(n_layers=2, n_heads=2, d_ff=16)
    config = ModelConfig(
        d_model=8,
        encoder=stack,
        decoder=stack,
        norm=Norm(place=place),
        positions=Positions(kind, max_length=16),
    )
    return new_model(config, 20, 20, 1)


@pytest.mark.parametrize("kind", POSITION_KINDS)
@pytest.mark.parametrize("place", ["pre", "post"])
def test_one_position_at_a_time_gives_the_memory_of_all_in_parallel(kind: str, place: str) -> None:
    model = tiny(kind, place)
    src = torch.tensor([[5, 9, 5, 17, 4, 2]])
    with inference(model):
        together, apart = model.encode(src), encode_one_by_one(model, src)
    torch.testing.assert_close(apart, together)
    assert together.std() > 0.1


def test_both_orders_are_timed_at_every_length() -> None:
    found = encoding_times(tiny("sinusoidal", "pre"), (2, 8), seconds=0.02)
    assert found.lengths == (2, 8)
    assert min(*found.parallel, *found.one_by_one) > 0
    assert min(found.repeats) >= 1
    assert found.difference < 1e-5
