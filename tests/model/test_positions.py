import math

import pytest
import torch

from s2s.config import ModelConfig, Positions, Stack
from s2s.model.positions import (
    Rotary,
    Sinusoidal,
    alibi_slopes,
    relative_buckets,
    sinusoids,
)


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("full_span", [False, True])
def test_a_sinusoid_is_the_papers_formula(layout: str, full_span: bool) -> None:
    settings = Positions(layout=layout, full_span=full_span)
    table = sinusoids(30, 12, settings)
    for position in (0, 7, 29):
        for i in range(6):
            angle = position / 10_000 ** (i / (5 if full_span else 6))
            sine, cosine = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, 6 + i)
            assert table[position, sine] == pytest.approx(math.sin(angle), abs=1e-6)
            assert table[position, cosine] == pytest.approx(math.cos(angle), abs=1e-6)


def test_a_position_does_not_depend_on_how_far_the_table_has_grown() -> None:
    config = ModelConfig(d_model=8)
    short, long = (Sinusoidal(config, Stack(), is_causal=False) for _ in range(2))
    x = torch.zeros(1, 5, 8)
    long.add(torch.zeros(1, 2000, 8), None)
    assert torch.equal(short.add(x, None), long.add(x, None))


def test_skipped_padding_takes_no_position_and_gets_none() -> None:
    config = ModelConfig(d_model=8, positions=Positions(skip_padding=True, offset=2))
    position = Sinusoidal(config, Stack(), is_causal=False)
    is_real = torch.tensor([[False, True, True, False]])
    added = position.add(torch.zeros(1, 4, 8), is_real)
    table = sinusoids(4, 8, config.positions)
    torch.testing.assert_close(
        added[0], torch.stack([torch.zeros(8), table[2], table[3], torch.zeros(8)])
    )


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_a_rotation_is_a_product_of_complex_numbers(layout: str) -> None:
    config = ModelConfig(
        d_model=8, positions=Positions("rotary", layout=layout, offset=2), encoder=Stack(n_heads=1)
    )
    rotary = Rotary(config, config.encoder, is_causal=False)
    x = torch.randn(2, 3, 5, 8, dtype=torch.float64).transpose(1, 2)  # (2, 5, 3, 8)
    pairs = x.unflatten(-1, (4, 2) if layout == "interleaved" else (2, 4))
    numbers = torch.complex(*pairs.unbind(-1 if layout == "interleaved" else -2))
    angles = torch.tensor([[(7 + place) / 10**i for i in range(4)] for place in range(3)])
    turned = torch.view_as_real(numbers * torch.polar(torch.ones(3, 4), angles))
    wanted = turned if layout == "interleaved" else turned.transpose(-1, -2)
    torch.testing.assert_close(rotary.rotate(x, 5), wanted.flatten(-2), atol=1e-5, rtol=0)


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_a_rotary_score_depends_on_the_distance_alone(layout: str) -> None:
    config = ModelConfig(
        d_model=8, positions=Positions("rotary", layout=layout), encoder=Stack(n_heads=1)
    )
    rotary = Rotary(config, config.encoder, is_causal=False)
    query = torch.randn(8)
    key = torch.randn(8)

    def score(at: int, to: int) -> float:
        return float(
            rotary.rotate(query.view(1, 1, 1, 8), at).flatten()
            @ rotary.rotate(key.view(1, 1, 1, 8), to).flatten()
        )

    assert score(3, 5) == pytest.approx(score(40, 42), abs=1e-4)
    assert score(3, 5) != pytest.approx(score(3, 6), abs=1e-4)
    assert score(0, 0) == pytest.approx(float(query @ key), abs=1e-5)


def test_alibi_slopes_are_the_authors() -> None:
    assert alibi_slopes(8).tolist() == [2.0**-i for i in range(1, 9)]
    assert alibi_slopes(6).tolist() == pytest.approx([1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8])


def test_near_distances_have_buckets_of_their_own_and_far_ones_share() -> None:
    settings = Positions("relative")
    past = -torch.arange(0, 300)
    one_way = relative_buckets(past, settings, is_causal=True)
    assert one_way[:16].tolist() == list(range(16))
    assert (one_way.diff() >= 0).all()
    assert one_way[128:].unique().tolist() == [31]
    assert relative_buckets(torch.arange(1, 9), settings, is_causal=True).tolist() == [0] * 8
    both = relative_buckets(torch.arange(-300, 301), settings, is_causal=False)
    assert sorted(both.unique().tolist()) == [n for n in range(32) if n != 16]
