"""What positions do in an encoder: two words swapped, and a position added to an embedding."""

import math

import numpy as np
import pytest
import torch

from s2s.analysis import position_effect, reordering_effect, swapped_order, without_positions
from s2s.config import POSITION_KINDS, ModelConfig, Positions, Stack
from s2s.model import Transformer, sinusoids
from s2s.model.positions import Position


def model(kind: str) -> Transformer:
    """Two layers, 20 words, weights as they are drawn."""
    torch.manual_seed(0)
    stack = Stack(n_layers=2, n_heads=2, d_ff=32)
    settings = Positions(kind, max_length=12, offset=2)
    return Transformer(
        ModelConfig(d_model=16, encoder=stack, decoder=stack, positions=settings), 20, 20
    ).eval()


@pytest.mark.parametrize("kind", POSITION_KINDS)
def test_reordering_two_words(kind: str) -> None:
    ids = [5, 6, 7, 8, 9, 2]
    order = [3, 1, 2, 0, 4, 5]
    made = model(kind)
    held = made.encoder.embed.position
    found = reordering_effect(made, ids, order)
    assert found.without_positions.max() < 1e-5
    assert (found.with_positions.max() > 1e-3) == (kind != "none")
    assert found.size > 0
    assert made.encoder.embed.position is held
    assert reordering_effect(made, ids, range(6)).with_positions.max() == 0


def test_the_effect_of_reordering_is_measured_on_the_encoder() -> None:
    made = model("sinusoidal")
    ids = [5, 6, 7, 2]
    order = [2, 0, 1, 3]
    mask = torch.ones(1, 1, 1, 4, dtype=torch.bool)
    with torch.inference_mode():
        one, other = (
            made.encoder(torch.tensor([row]), mask)[0].numpy()
            for row in (ids, [ids[i] for i in order])
        )
    expected = [np.abs(other[order.index(place)] - one[place]).max() for place in range(4)]
    np.testing.assert_allclose(
        reordering_effect(made, ids, order).with_positions, expected, atol=1e-5
    )


def test_an_order_names_each_position_once() -> None:
    with pytest.raises(ValueError, match="each of 3 positions once"):
        reordering_effect(model("none"), [5, 6, 2], [0, 0, 2])


def test_positions_come_back_after_a_failure() -> None:
    made = model("learned")
    held = made.encoder.embed.position
    with without_positions(made):
        assert type(made.encoder.embed.position) is Position
    with pytest.raises(RuntimeError, match="stop"), without_positions(made):
        raise RuntimeError("stop")
    assert made.encoder.embed.position is held


@pytest.mark.parametrize("kind", POSITION_KINDS)
def test_the_effect_of_a_position_on_a_vector(kind: str) -> None:
    made = model(kind)
    ids = [5, 6, 5, 2]
    found = position_effect(made, ids)
    if kind not in ("sinusoidal", "learned"):
        assert found is None
        return
    assert found is not None
    words = made.encoder.embed.tokens.weight.detach().numpy()
    position = made.encoder.embed.position
    learned = position.table.weight.detach() if kind == "learned" else sinusoids(9, 16, Positions())
    table = learned[2:].numpy()  # the first position is 2
    for place, token in enumerate(ids):
        vector = words[token] * 4  # the root of d_model
        total = vector + table[place]
        unit = words / np.linalg.norm(words, axis=1, keepdims=True)
        cosine = vector @ total / np.linalg.norm(vector) / np.linalg.norm(total)
        assert found.angles[place] == pytest.approx(
            math.degrees(math.acos(min(1.0, cosine))), abs=0.05
        )
        assert found.ratios[place] == pytest.approx(
            np.linalg.norm(total) / np.linalg.norm(vector), rel=1e-4
        )
        assert found.nearest_after[place] == (unit @ total).argmax()
        assert found.nearest_before[place] == next(
            near for near in np.argsort(-(unit @ vector)) if near != token
        )


def test_tokens_of_a_word_change_positions_together() -> None:
    tokens = ("▁un", "hap", "py", "▁cat", "s", "▁sit", "</s>")
    assert swapped_order(tokens, (0, 1), is_whole=False) == [3, 4, 0, 1, 2, 5, 6]
    assert swapped_order(tokens, (2, 0), is_whole=False) == [5, 3, 4, 0, 1, 2, 6]
    assert swapped_order(tokens, (1, 1), is_whole=False) == list(range(7))
    assert swapped_order(("a", "b", "</s>"), (1, 0), is_whole=True) == [1, 0, 2]
    # a word that the tokens do not have
    assert swapped_order(tokens, (0, 9), is_whole=False) == list(range(7))
