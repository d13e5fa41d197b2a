import math

import numpy as np
import pytest
import torch

from s2s.analysis import positions
from s2s.config import ModelConfig, Positions, Stack, UserError
from s2s.model import Transformer

LAYOUTS = ("interleaved", "halves")


def model(kind: str) -> Transformer:
    """Two layers, 20 words, weights as they are drawn."""
    torch.manual_seed(0)
    stack = Stack(n_layers=2, n_heads=2, d_ff=32)
    settings = Positions(kind, max_length=12, offset=2)
    return Transformer(
        ModelConfig(d_model=16, encoder=stack, decoder=stack, positions=settings), 20, 20
    ).eval()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("d_model", [6, 7, 2, 3])
def test_a_wave_is_the_formula_and_an_odd_width_keeps_its_frequencies(
    layout: str, d_model: int
) -> None:
    table = positions.sinusoid_vectors(40, d_model, Positions(base=500.0, layout=layout))
    assert table.shape == (40, d_model)
    place = np.arange(40)
    for i, (sine, cosine) in enumerate(positions.wave_columns(d_model, layout)):
        np.testing.assert_allclose(
            table[:, sine], np.sin(place / 500 ** (2 * i / d_model)), atol=1e-6
        )
        np.testing.assert_allclose(
            table[:, cosine], np.cos(place / 500 ** (2 * i / d_model)), atol=1e-6
        )
    lone = set(range(d_model)) - {
        column for pair in positions.wave_columns(d_model, layout) for column in pair
    }
    assert len(lone) == d_model % 2
    for column in lone:
        np.testing.assert_allclose(
            table[:, column], np.sin(place / 500 ** ((d_model - 1) / d_model)), atol=1e-6
        )


def test_a_column_repeats_after_its_wavelength() -> None:
    lengths = positions.wavelengths(12, 10_000.0)
    assert lengths[0] == pytest.approx(2 * math.pi)
    assert (np.diff(lengths) > 0).all()
    table = positions.sinusoid_vectors(4096, 12, Positions())
    for pair, length in enumerate(
        lengths[:3]
    ):  # those that repeat often enough for a transform to see
        power = np.abs(np.fft.rfft(table[:, pair]))
        assert power.argmax() == pytest.approx(4096 / length, abs=1)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("d_model", "offset"), [(8, 3), (8, 0), (7, 5), (64, 17)])
def test_a_position_so_many_steps_later_is_a_matrix_times_the_position(
    layout: str, d_model: int, offset: int
) -> None:
    settings = Positions(layout=layout)
    table = positions.sinusoid_vectors(60, d_model, settings)
    turn = np.zeros((d_model, d_model))  # block by block, as in the paper's section 3.5
    whole = []
    for i, (sine, cosine) in enumerate(positions.wave_columns(d_model, layout)):
        angle = offset / 10_000 ** (2 * i / d_model)
        turn[np.ix_([sine, cosine], [sine, cosine])] = [
            [math.cos(angle), math.sin(angle)],
            [-math.sin(angle), math.cos(angle)],
        ]
        whole += [sine, cosine]
    np.testing.assert_allclose(
        (table[: 60 - offset] @ turn.T)[:, whole], table[offset:][:, whole], atol=1e-5
    )
    np.testing.assert_allclose(
        positions.rotated_pairs(table, offset, settings)[:, whole],
        (table @ turn.T)[:, whole],
        atol=1e-5,
    )
    assert positions.rotation_error(table, offset, settings) < 1e-5


@pytest.mark.parametrize("d_model", [2, 4, 7, 16])
def test_sinusoids_over_the_full_span_rotate_too(d_model: int) -> None:
    settings = Positions(full_span=True)
    table = positions.sinusoid_vectors(40, d_model, settings)
    assert positions.rotation_error(table, 10, settings) < 1e-5


def test_the_rotation_of_one_offset_is_not_that_of_another() -> None:
    table = positions.sinusoid_vectors(40, 16, Positions())
    wrong = positions.rotation_error(
        np.roll(table, 1, axis=0), 4, Positions()
    )  # place 0 is now the last: no wave any more
    assert wrong > 0.1


def test_similarity_of_sinusoids_depends_on_the_offset_alone() -> None:
    table = positions.sinusoid_vectors(50, 32, Positions())
    alike = positions.similarities(table)
    found = positions.by_offset(alike)
    frequencies = 1 / 10_000 ** (np.arange(16) / 16)
    expected = [np.cos(offset * frequencies).sum() for offset in range(50)]
    np.testing.assert_allclose(found.mean, expected, atol=1e-4)
    np.testing.assert_allclose(found.high, found.low, atol=1e-4)
    np.testing.assert_allclose(
        positions.similarities(positions.normalized(table)), alike / 16, atol=1e-5
    )
    few = table.reshape(10, 5, 32).mean(1)
    np.testing.assert_allclose(
        positions.similarities(few), alike.reshape(10, 5, 10, 5).mean((1, 3)), atol=1e-4
    )


def test_the_spread_over_pairs_equally_far_apart() -> None:
    vectors = np.array([[1, 0], [0, 2], [3, 0]], np.float32)
    found = positions.by_offset(positions.similarities(vectors))
    assert found.low.tolist() == [1, 0, 3]
    assert found.high.tolist() == [9, 0, 3]
    np.testing.assert_allclose(found.mean, [14 / 3, 0, 3])


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
    ours = positions.rotary_scores(queries, keys, length, Positions(base=base, layout="halves"))
    np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-5)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_rotary_score_is_a_sum_of_cosines_and_depends_on_the_distance_alone(layout: str) -> None:
    vectors = positions.random_vectors(4, 8)
    settings = Positions(layout=layout)
    scores = positions.rotary_scores(vectors, vectors, 30, settings)
    sizes = np.stack(
        [np.square(vectors[:, list(pair)]).sum(1) for pair in positions.wave_columns(8, layout)], 1
    )
    angles = np.arange(30)[:, None] / 10_000 ** (np.arange(4) / 4)
    np.testing.assert_allclose(scores, sizes @ np.cos(angles).T / math.sqrt(8), atol=1e-4)
    np.testing.assert_allclose(
        positions.rotary_scores(vectors, vectors, 30, settings, 200), scores, atol=1e-3
    )


def test_a_rotated_vector_keeps_its_length_and_an_odd_head_is_refused() -> None:
    vector = positions.random_vectors(1, 10)[0]
    found = positions.rotated(vector, 20, Positions())
    np.testing.assert_allclose(found[0], vector, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), np.linalg.norm(vector), rtol=1e-5)
    with pytest.raises(UserError, match="odd and rotary positions rotate pairs"):
        positions.rotary(5, Positions())


def test_slopes_are_transformers() -> None:
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    for n_heads in (1, 2, 4, 6, 8, 12, 16, 20, 33):
        theirs = build_alibi_tensor(
            torch.ones(1, 4), n_heads, torch.float32
        )  # (heads, 1, keys): slope times the place
        np.testing.assert_allclose(positions.slopes(n_heads), theirs[:, 0, 1].numpy(), rtol=1e-6)


def test_buckets_are_transformers() -> None:
    from transformers.models.t5.modeling_t5 import T5Attention

    for is_causal in [False, True]:
        for buckets, far in [(32, 128), (16, 20), (4, 3), (64, 1000), (30, 100)]:
            distances = np.arange(-2 * far, 2 * far + 1)
            theirs = T5Attention._relative_position_bucket(
                torch.from_numpy(distances), not is_causal, buckets, far
            )
            ours = positions.buckets(
                distances,
                Positions("relative", buckets=buckets, max_distance=far),
                is_causal=is_causal,
            )
            np.testing.assert_array_equal(ours, theirs.numpy())


def test_what_a_run_has_learned() -> None:
    learned = positions.position_table(model("learned"))
    assert learned is not None
    assert learned.shape == (12, 16)
    assert positions.position_table(model("sinusoidal")) is None
    scores = positions.bucket_scores(model("relative"))
    assert scores is not None
    assert scores.shape == (32, 2)
    assert positions.bucket_scores(model("alibi")) is None
