"""Encodings as arrays, asked of the model's classes: compared with formulas and with transformers."""

import math

import numpy as np
import pytest
import torch

from s2s.analysis import positions
from s2s.config import ModelConfig, Positions, Stack, UserError
from s2s.model.positions import Position, alibi_slopes, relative_buckets

LAYOUTS = ("interleaved", "halves")


def drawn(kind: str, width: int = 16, heads: int = 1, **settings: float | str) -> Position:
    """The encoding of a model with heads of this width."""
    stack = Stack(n_heads=heads, d_head=width)
    config = ModelConfig(
        d_model=width, positions=Positions(kind, **settings), encoder=stack, decoder=stack
    )
    return positions.drawn_position(config, is_causal=False)


def sinusoids(length: int, width: int, **settings: float | str) -> positions.Matrix:
    found = positions.added_vectors(drawn("sinusoidal", width, **settings), length, width)
    assert found is not None
    return found


def waves(table: positions.Matrix, layout: str) -> positions.Waves:
    return positions.as_waves(table, layout, is_sine_first=True)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_wave_is_the_formula_and_repeats_after_its_wavelength(layout: str) -> None:
    table = sinusoids(40, 6, base=500.0, layout=layout)
    angles = np.arange(40)[:, None] / 500 ** (2 * np.arange(3) / 6)
    np.testing.assert_allclose(waves(table, layout), np.exp(1j * angles), atol=1e-6)
    expected = 2 * math.pi * 500 ** (2 * np.arange(3) / 6)
    np.testing.assert_allclose(positions.wavelengths(waves(table, layout)), expected, rtol=1e-5)


def test_an_odd_width_leaves_out_its_last_column() -> None:
    table = np.arange(14, dtype=np.float32).reshape(2, 7)
    assert waves(table, "halves").shape == (2, 3)
    assert waves(table, "interleaved")[0].tolist() == [1, 3 + 2j, 5 + 4j]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("width", "offset"), [(8, 3), (8, 0), (64, 17)])
def test_one_rotation_leads_from_every_position_to_the_one_so_many_later(
    layout: str, width: int, offset: int
) -> None:
    table = sinusoids(60, width, layout=layout)
    found = positions.rotation(waves(table, layout), offset)
    assert found.error < 1e-5
    turn = np.zeros((width, width))  # block by block, as in the paper's section 3.5
    for (sine, cosine), angle in zip(
        positions.wave_columns(width, layout), found.angles, strict=True
    ):
        turn[np.ix_([sine, cosine], [sine, cosine])] = [
            [math.cos(angle), math.sin(angle)],
            [-math.sin(angle), math.cos(angle)],
        ]
    np.testing.assert_allclose(table[: 60 - offset] @ turn.T, table[offset:], atol=1e-5)


def test_what_is_no_wave_has_no_such_rotation() -> None:
    table = sinusoids(40, 16)
    table[0] = table[-1]
    assert positions.rotation(waves(table, "halves"), 4).error > 0.1
    learned = positions.added_vectors(drawn("learned"), 40, 16)
    assert learned is not None
    assert positions.rotation(waves(learned, "halves"), 1).error > 0.5 * np.abs(learned).max()


def test_similarity_of_sinusoids_depends_on_the_offset_alone() -> None:
    table = sinusoids(50, 32)
    alike = positions.similarities(table)
    found = positions.by_offset(alike, 0, 49)
    frequencies = 1 / 10_000 ** (np.arange(16) / 16)
    expected = [np.cos(offset * frequencies).sum() for offset in range(50)]
    np.testing.assert_allclose(found.mean, expected, atol=1e-4)
    assert found.spread < 1e-4
    np.testing.assert_allclose(
        positions.similarities(positions.normalized(table)), alike / 16, atol=1e-5
    )
    few = table.reshape(10, 5, 32).mean(1)
    np.testing.assert_allclose(
        positions.similarities(few), alike.reshape(10, 5, 10, 5).mean((1, 3)), atol=1e-4
    )


def test_diagonals_are_numpys() -> None:
    values = np.random.default_rng(0).normal(size=(2, 5, 5)).astype(np.float32)
    found = positions.by_offset(values, -4, 2)
    for column, offset in enumerate(range(-4, 3)):
        diagonal = np.diagonal(values, offset, 1, 2)
        for mine, reduce in ((found.mean, np.mean), (found.low, np.min), (found.high, np.max)):
            np.testing.assert_allclose(mine[:, column], reduce(diagonal, axis=1), rtol=1e-5)


@pytest.mark.parametrize("base", [10_000.0, 500.0])
def test_rotary_scores_are_transformers(base: float) -> None:
    from transformers.models.llama.configuration_llama import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

    length = 12
    d_head = 16
    config = LlamaConfig(
        hidden_size=d_head,
        num_attention_heads=1,
        rope_parameters={"rope_type": "default", "rope_theta": base},
    )
    queries = positions.random_vectors(3, d_head, 1)
    keys = positions.random_vectors(3, d_head, 2)
    place = torch.arange(length)[None]
    cos, sin = LlamaRotaryEmbedding(config)(torch.zeros(1, length, d_head), place)
    everywhere = [
        torch.from_numpy(each)[:, None, None].expand(3, 1, length, d_head)
        for each in (queries, keys)
    ]
    q, k = apply_rotary_pos_emb(*everywhere, cos, sin)
    theirs = (q[:, 0, -1:] * k[:, 0]).sum(-1).flip(1) / math.sqrt(d_head)
    ours = positions.scores_by_distance(drawn("rotary", base=base), queries, keys, length)
    np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-5)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_rotary_score_depends_on_the_distance_alone(layout: str) -> None:
    vectors = positions.random_vectors(4, 8)
    rotary = drawn("rotary", 8, layout=layout)
    scores = positions.scores_by_distance(rotary, vectors, vectors, 30)
    pairs = [list(pair) for pair in positions.wave_columns(8, layout)]
    sizes = np.stack([np.square(vectors[:, pair]).sum(1) for pair in pairs], 1)
    angles = np.arange(30)[:, None] / 10_000 ** (np.arange(4) / 4)
    np.testing.assert_allclose(scores, sizes @ np.cos(angles).T / math.sqrt(8), atol=1e-4)
    later = positions.scores_by_distance(rotary, vectors, vectors, 30, 200)
    np.testing.assert_allclose(later, scores, atol=1e-3)


def test_a_rotated_vector_keeps_its_length_and_an_odd_head_is_refused() -> None:
    vector = positions.random_vectors(1, 10)
    rotary = drawn("rotary", 10)
    found = positions.rotated(rotary, vector, 20)[0]
    np.testing.assert_allclose(found[0], vector[0], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), np.linalg.norm(vector), rtol=1e-5)
    assert positions.does_rotate(rotary, 10)
    assert not positions.does_rotate(drawn("alibi"), 16)
    with pytest.raises(UserError, match="odd and rotary positions rotate pairs"):
        drawn("rotary", 5)


def test_slopes_are_transformers() -> None:
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    for n_heads in (1, 2, 4, 6, 8, 12, 16, 20, 33):
        theirs = build_alibi_tensor(
            torch.ones(1, 4), n_heads, torch.float32
        )  # (heads, 1, keys): slope times the place
        np.testing.assert_allclose(alibi_slopes(n_heads), theirs[:, 0, 1].numpy(), rtol=1e-6)
    added = positions.added_scores(drawn("alibi", heads=6), 5, 6)
    assert added is not None
    np.testing.assert_allclose(added[:, 0, 3], -3 * alibi_slopes(6).numpy(), rtol=1e-6)


def test_buckets_are_transformers() -> None:
    from transformers.models.t5.modeling_t5 import T5Attention

    for is_causal in [False, True]:
        for buckets, far in [(32, 128), (16, 20), (4, 3), (64, 1000), (30, 100)]:
            distances = torch.arange(-2 * far, 2 * far + 1)
            theirs = T5Attention._relative_position_bucket(distances, not is_causal, buckets, far)
            settings = Positions("relative", buckets=buckets, max_distance=far)
            ours = relative_buckets(distances, settings, is_causal=is_causal)
            np.testing.assert_array_equal(ours.numpy(), theirs.numpy())


def test_what_a_kind_does_not_do_is_none_and_too_much_is_refused() -> None:
    assert positions.added_vectors(drawn("rotary"), 5, 16) is None
    assert positions.added_scores(drawn("sinusoidal"), 5, 1) is None
    with pytest.raises(UserError, match="give at most 724 positions"):
        positions.added_scores(drawn("alibi", heads=64), 2048, 64)
