"""Positional encodings as arrays: what the model's own class adds to vectors, rotates, and adds to scores."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from s2s.config import ModelConfig, UserError
from s2s.model import Position, make_position

Matrix = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Waves = npt.NDArray[np.complex128]
TINY = 1e-12  # a vector of zeros has no direction
MOST_PAIRS = 2**25  # numbers that are added to scores, of all heads, queries and keys


def drawn_position(config: ModelConfig, *, is_causal: bool, seed: int = 1) -> Position:
    """The encoding of one stack before any training; what is learned is drawn from the seed."""
    stack = config.decoder if is_causal else config.encoder
    position = make_position(config, stack, is_causal=is_causal)
    generator = torch.Generator().manual_seed(seed)

    def draw(tensor: Tensor, std: float) -> None:
        tensor.normal_(0, std, generator=generator)

    with torch.no_grad():
        position.initialize(draw)
    return position


@torch.inference_mode()
def added_vectors(position: Position, length: int, d_model: int) -> Matrix | None:
    """What is added to a token's vector at each position, (length, d_model); None where it is nothing."""
    nothing = torch.zeros(1, length, d_model, device=_device(position))
    added = position.add(nothing, None)[0]  # (length, d_model)
    return _array(added) if added.any() else None


@torch.inference_mode()
def rotated(position: Position, vectors: Matrix, length: int, start: int = 0) -> Matrix:
    """The queries or keys (n, d_head), each rotated to `length` positions from `start`: (n, length, d_head)."""
    given = torch.from_numpy(vectors).to(_device(position))[:, None, None]  # (n, 1, 1, d_head)
    everywhere = given.expand(-1, 1, length, -1).contiguous()  # (n, 1, length, d_head)
    return _array(position.rotate(everywhere, start)[:, 0])


def does_rotate(position: Position, d_head: int) -> bool:
    """Whether positions rotate queries: an identity matrix, as queries, changes from one position to the next."""
    identity = rotated(position, np.eye(d_head, dtype=np.float32), 2)  # (d_head, 2, d_head)
    return not np.array_equal(identity[:, 0], identity[:, 1])


@dataclass(frozen=True)
class ByOffset:
    """A number for each two positions by their offset, (..., offsets): mean, lowest and highest over all such pairs."""

    mean: Matrix
    low: Matrix
    high: Matrix

    @property
    def spread(self) -> float:
        """The widest range at any offset: 0 where the number depends on the offset alone."""
        return float((self.high - self.low).max())


@torch.inference_mode()
def added_scores(position: Position, length: int, heads: int) -> Matrix | None:
    """What is added to the score of each query and key, (heads, length, length); None where it is nothing.

    Raises UserError where that is too much.
    """
    if position.bias(1, 1, _device(position)) is None:
        return None
    if heads * length**2 > MOST_PAIRS:
        raise UserError(
            f"{heads} heads and {length:,} positions make {heads * length**2 / 1e6:,.0f} million scores; give at most"
            f" {math.isqrt(MOST_PAIRS // heads):,} positions."
        )
    bias = position.bias(length, length, _device(position))
    return None if bias is None else _array(bias[0])


def scores_by_distance(
    position: Position, queries: Matrix, keys: Matrix, length: int, start: int = 0
) -> Matrix:
    """Scores q . k / sqrt(d_head) of pairs (n, d_head), the key 0, 1, ... positions before the query: (n, length).

    The query is at position `start + length - 1`.
    """
    earlier = rotated(position, keys, length, start)  # (n, length, d_head)
    query = rotated(position, queries, 1, start + length - 1)  # (n, 1, d_head)
    scores = (earlier * query).sum(2) / math.sqrt(queries.shape[1])  # (n, length)
    return np.ascontiguousarray(scores[:, ::-1], np.float32)


def random_vectors(n: int, d_head: int, seed: int = 1) -> Matrix:
    """Vectors of independent standard normals: (n, d_head)."""
    return torch.randn(n, d_head, generator=torch.Generator().manual_seed(seed)).numpy()


def wave_columns(width: int, layout: str) -> list[tuple[int, int]]:
    """Pairs of columns: each sine and its cosine, the fastest first. The last sine of an odd width is in no pair."""
    waves = range(width // 2)
    if layout == "interleaved":
        return [(2 * i, 2 * i + 1) for i in waves]
    half = (width + 1) // 2
    return [(i, half + i) for i in waves]


def unit_query(d_head: int, layout: str) -> Matrix:
    """A query whose pairs of columns are all (1, 0): (1, d_head)."""
    query = np.zeros((1, d_head), np.float32)
    query[0, [first for first, _ in wave_columns(d_head, layout)]] = 1
    return query


def as_waves(columns: Matrix, layout: str, *, is_sine_first: bool) -> Waves:
    """Each pair of columns as one complex number, cosine + i sine: (positions, width) -> (positions, pairs)."""
    first, second = (
        columns[:, each] for each in zip(*wave_columns(columns.shape[1], layout), strict=True)
    )
    sine, cosine = (first, second) if is_sine_first else (second, first)
    return cosine.astype(np.float64) + 1j * sine.astype(np.float64)


@dataclass(frozen=True)
class Rotation:
    """The angle by which each pair rotates over an offset, (pairs,) radians, and the largest error of doing so."""

    angles: npt.NDArray[np.float64]
    error: float


def rotation(waves: Waves, offset: int) -> Rotation:
    """The rotation that leads best from every position to the one `offset` later.

    sin(a + b) and cos(a + b) are linear in sin a and cos a: of sinusoids one matrix does it for every position.
    """
    earlier = waves[: len(waves) - offset]  # (positions, pairs)
    later = waves[offset:]
    angles = np.angle((earlier.conj() * later).sum(0))  # (pairs,)
    return Rotation(angles, float(np.abs(earlier * np.exp(1j * angles) - later).max()))


def wavelengths(waves: Waves) -> npt.NDArray[np.float64]:
    """Positions per full period of each pair, (pairs,); infinite for one that stands still."""
    angles = np.unwrap(np.angle(waves), axis=0)  # (positions, pairs)
    per_position = np.abs(angles[-1] - angles[0]) / (len(waves) - 1)
    periods: npt.NDArray[np.float64] = 2 * math.pi / np.maximum(per_position, TINY)
    return periods


def normalized(vectors: Matrix) -> Matrix:
    """The vectors, each scaled to length 1, so that dot products are cosines."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Matrix = vectors / np.maximum(lengths, TINY)
    return scaled


def similarities(vectors: Matrix) -> Matrix:
    """Dot products of all positions with each other: (positions, positions).

    Those of means of adjacent positions are the means of their dot products.
    """
    products: Matrix = vectors @ vectors.T
    return products


def by_offset(values: Matrix, least: int, most: int) -> ByOffset:
    """Summarize the diagonals of square matrices, column minus row: (..., positions, positions) -> (..., offsets).

    A row at a time, because a diagonal is scattered in memory.
    """
    n = values.shape[-1]
    shape = (*values.shape[:-2], 2 * n - 1)
    total = np.zeros(shape, np.float64)
    low = np.full(shape, np.inf, np.float32)
    high = np.full(shape, -np.inf, np.float32)
    for row in range(n):
        offsets = slice(n - 1 - row, 2 * n - 1 - row)  # of this row's columns
        total[..., offsets] += values[..., row, :]
        np.minimum(low[..., offsets], values[..., row, :], out=low[..., offsets])
        np.maximum(high[..., offsets], values[..., row, :], out=high[..., offsets])
    n_pairs = n - np.abs(np.arange(1 - n, n))
    mean = (total / n_pairs).astype(np.float32)
    asked = slice(n - 1 + least, n + most)
    return ByOffset(mean[..., asked], low[..., asked], high[..., asked])


def _device(position: Position) -> torch.device:
    weights = itertools.chain(position.parameters(), position.buffers())
    return next((each.device for each in weights), torch.device("cpu"))


def _array(values: Tensor) -> Matrix:
    found: Matrix = values.float().cpu().numpy()
    return found
