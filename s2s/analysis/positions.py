"""Positional encodings as arrays, and their effect in a trained encoder.

Made with the model's own code; knows nothing of screens.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch

from s2s.config import ModelConfig, Positions, Stack
from s2s.model import (
    Learned,
    Relative,
    Rotary,
    Transformer,
    alibi_slopes,
    frequencies,
    relative_buckets,
    sinusoids,
)

Matrix = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
TINY = 1e-12  # a vector of zeros has no direction


def sinusoid_vectors(length: int, d_model: int, settings: Positions) -> Matrix:
    """(length, d_model). With an odd width, which our models refuse, the last sine has no cosine."""
    even, settings = _even(d_model, settings)
    return sinusoids(length, even, settings).numpy()[:, :d_model]


def _even(d_model: int, settings: Positions) -> tuple[int, Positions]:
    """An even width, and the settings that give it the frequencies of `d_model` columns."""
    if d_model % 2 == 0:
        return d_model, settings
    even = d_model + 1
    return even, replace(settings, base=settings.base ** (even / d_model))


def wavelengths(d_model: int, base: float) -> npt.NDArray[np.float64]:
    """Positions per full period of each sine and cosine, the fastest first (Vaswani et al. 2017, section 3.5)."""
    return 2 * math.pi * base ** (np.arange(0, d_model, 2) / d_model)


def wave_columns(d_model: int, layout: str) -> list[tuple[int, int]]:
    """The columns of each sine and its cosine, the fastest first. The last sine of an odd width is in no pair."""
    waves = range(d_model // 2)
    if layout == "interleaved":
        return [(2 * i, 2 * i + 1) for i in waves]
    half = (d_model + 1) // 2
    return [(i, half + i) for i in waves]


def rotated_pairs(vectors: Matrix, offset: int, settings: Positions) -> Matrix:
    """Rotate each pair of columns by the angle of its wave over `offset` positions: sinusoids move `offset` positions.

    sin(a + b) = sin a cos b + cos a sin b and cos(a + b) = cos a cos b - sin a sin b: one matrix for every position.
    """
    d_model = vectors.shape[1]
    first, second = np.array(wave_columns(d_model, settings.layout)).T  # both (pairs,)
    angles = offset * frequencies(*_even(d_model, settings)).numpy()[: len(first)]
    cos = np.cos(angles)
    sin = np.sin(angles)
    sines = vectors[:, first]  # (length, pairs)
    cosines = vectors[:, second]
    rotated = vectors.astype(np.float64)
    rotated[:, first] = sines * cos + cosines * sin
    rotated[:, second] = cosines * cos - sines * sin
    return rotated.astype(np.float32)


def rotation_error(vectors: Matrix, offset: int, settings: Positions) -> float:
    """Largest absolute difference between the rotated vectors and those `offset` positions later.

    A sine without a cosine is ignored. `offset` is less than the number of vectors.
    """
    columns = wave_columns(vectors.shape[1], settings.layout)
    paired = np.array(columns).ravel()
    earlier = vectors[: len(vectors) - offset]
    later = vectors[offset:]
    error = np.abs(rotated_pairs(earlier, offset, settings) - later)
    return float(error[:, paired].max())


@dataclass(frozen=True)
class ByOffset:
    """Similarity of two positions 0, 1, ... apart, each (positions,): mean, lowest and highest over all such pairs."""

    mean: Matrix
    low: Matrix
    high: Matrix


def normalized(vectors: Matrix) -> Matrix:
    """Each scaled to length 1, so that dot products are cosines."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Matrix = vectors / np.maximum(lengths, TINY)
    return scaled


def similarities(vectors: Matrix) -> Matrix:
    """Dot products: (positions, positions).

    Those of means of adjacent positions are the means of their dot products.
    """
    products: Matrix = vectors @ vectors.T
    return products


def by_offset(similarity: Matrix) -> ByOffset:
    """Summarize the diagonals of a square matrix."""
    diagonals = [np.diagonal(similarity, offset) for offset in range(len(similarity))]
    return ByOffset(
        mean=np.array([np.mean(one) for one in diagonals], np.float32),
        low=np.array([np.min(one) for one in diagonals], np.float32),
        high=np.array([np.max(one) for one in diagonals], np.float32),
    )


def rotary(d_head: int, settings: Positions) -> Rotary:
    """The model's module for heads of that width. Raises UserError for an odd one."""
    stack = Stack(n_heads=1)
    settings = replace(settings, kind="rotary")
    config = ModelConfig(d_model=d_head, positions=settings, encoder=stack, decoder=stack)
    return Rotary(config, stack, is_causal=False)


def rotated(vector: Matrix, length: int, settings: Positions) -> Matrix:
    """One query or key (d_head,) at each of the first `length` positions: (length, d_head)."""
    everywhere = torch.from_numpy(vector).expand(1, 1, length, -1)  # (batch, heads, length, d_head)
    return rotary(len(vector), settings).rotate(everywhere)[0, 0].numpy()


def rotated_query(d_head: int, length: int, settings: Positions) -> Matrix:
    """A query whose pairs of columns are all (1, 0), rotated to each position: (length, d_head)."""
    query = np.zeros(d_head, np.float32)
    query[[first for first, _ in wave_columns(d_head, settings.layout)]] = 1
    return rotated(query, length, settings)


def rotary_scores(
    queries: Matrix, keys: Matrix, length: int, settings: Positions, start: int = 0
) -> Matrix:
    """q . k / sqrt(d_head) of each pair (n, d_head), with the key 0, 1, ... positions before the query: (n, length).

    The query is at position `start + length - 1`; the scores do not depend on `start`.
    """
    n, d_head = queries.shape
    module = rotary(d_head, settings)
    key_everywhere = torch.from_numpy(keys)[:, None, None].expand(n, 1, length, d_head)
    earlier = module.rotate(key_everywhere, start)  # (n, 1, length, d_head)
    last = torch.from_numpy(queries)[:, None, None]  # (n, 1, 1, d_head)
    query = module.rotate(last, start + length - 1)  # (n, 1, 1, d_head)
    products = earlier @ query.transpose(-1, -2)  # (n, 1, length, 1)
    scores = products[:, 0, :, 0] / math.sqrt(d_head)  # (n, length)
    return scores.flip(1).numpy()


def random_vectors(n: int, d_head: int, seed: int = 1) -> Matrix:
    """Independent standard normals: (n, d_head)."""
    return torch.randn(n, d_head, generator=torch.Generator().manual_seed(seed)).numpy()


def slopes(n_heads: int) -> Matrix:
    """ALiBi's slope of each head: (n_heads,)."""
    return alibi_slopes(n_heads).numpy()


def buckets(distances: Sequence[int] | Ints, settings: Positions, *, is_causal: bool) -> Ints:
    """T5's bucket of each distance, key minus query."""
    distance = torch.as_tensor(np.asarray(distances, np.int64))
    return relative_buckets(distance, settings, is_causal=is_causal).numpy()


def position_table(model: Transformer) -> Matrix | None:
    """The encoder's learned vectors (positions, d_model), without those before `offset`; None if it has none."""
    position = model.encoder.embed.position
    if not isinstance(position, Learned):
        return None
    return position.table.weight.detach().float().cpu().numpy()[position.settings.offset :]


def bucket_scores(model: Transformer) -> Matrix | None:
    """The scores that the encoder learned to add, (buckets, heads); None if it has no relative positions."""
    position = model.encoder.embed.position
    if not isinstance(position, Relative):
        return None
    return position.table.weight.detach().float().cpu().numpy()
