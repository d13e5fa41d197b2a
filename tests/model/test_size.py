import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from s2s.config import override
from s2s.model.presets import PRESETS
from s2s.model.size import training_flops
from s2s.model.transformer import Transformer


@pytest.mark.parametrize("preset", ["small", "modern-small", "blocks", "mini-t5", "transformer-tiny"])
@pytest.mark.parametrize("length", [8, 64])
def test_flops_are_what_torch_counts(preset: str, length: int) -> None:
    recipe = override(PRESETS[preset].recipe, {"train.steps": 3, "data.max_length": 64})
    model, rows, vocab_size = Transformer(recipe.model, 500, 500), 4, 500
    ids = torch.randint(4, vocab_size, (rows, length))
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:  # it does not know the fused kernel
        model(ids, ids).sum().backward()
    counted = 3 * counter.get_total_flops()  # of each step
    assert training_flops(recipe, vocab_size, slots=rows * length, length=length) == pytest.approx(counted, rel=0.1)


def test_flops_grow_with_the_run() -> None:
    recipe = PRESETS["small"].recipe
    usual = training_flops(recipe, 1000, slots=2048, length=20)
    assert training_flops(override(recipe, {"train.steps": 2 * recipe.train.steps}), 1000, slots=2048, length=20) == 2 * usual
    assert training_flops(recipe, 1000, slots=4096, length=20) == 2 * usual
    assert usual < training_flops(recipe, 2000, slots=2048, length=20)
    assert usual < training_flops(recipe, 1000, slots=2048, length=200)
