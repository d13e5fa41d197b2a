import pytest
import torch
from torch import Tensor

from s2s.config import PRESETS, Recipe, override
from s2s.model.init import new_model
from s2s.model.transformer import Transformer

SRC_VOCAB = TGT_VOCAB = 23


def shrunk(name: str) -> Recipe:
    """A preset with everything that makes it what it is, but its size."""
    changes: dict[str, object] = {"model.dropout": 0.0, "model.n_layers": 2}
    if name != "first-steps":
        changes |= {
            "model.d_model": 24,
            "model.n_heads": 3,
            "model.d_head": 6 if name.startswith("t5") else None,
            "model.d_ff": 40,
        }
    return override(PRESETS[name].recipe, changes)


def build(recipe: Recipe, *, seed: int = 3) -> Transformer:
    """A model whose every number counts: biases and norm scales are moved off 0 and 1."""
    model = new_model(recipe.model, SRC_VOCAB, TGT_VOCAB, seed)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator) * 0.05)
    return model.eval()


# A preset for each model that there is once size is left out: the five of T5 are one.
DISTINCT = tuple({shrunk(name).model: name for name in reversed([*PRESETS])}.values())[::-1]


@pytest.fixture
def sentences() -> tuple[Tensor, Tensor]:
    """Ids with padding at the end: src (3, 7), tgt (3, 5) starting with 1."""
    src = torch.tensor([[5, 9, 4, 12, 7, 8, 2], [6, 5, 2, 0, 0, 0, 0], [20, 11, 4, 4, 2, 0, 0]])
    tgt = torch.tensor([[1, 7, 8, 15, 4], [1, 5, 2, 0, 0], [1, 22, 9, 2, 0]])
    return src, tgt
