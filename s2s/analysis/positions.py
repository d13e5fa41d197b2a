"""Positions as arrays: what each kind adds, turns or takes off, and what order is worth to an encoder. Made with the model's own code."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from s2s.config import ModelConfig, Positions, Stack
from s2s.model import Transformer, inference, masks
from s2s.model.positions import (
    POSITIONS,
    Absolute,
    Learned,
    Relative,
    Rotary,
    alibi_slopes,
    relative_buckets,
    sinusoids,
)

Matrix = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


def waves(length: int, d_model: int, settings: Positions) -> Matrix:
    """Sinusoids (length, d_model). Of an odd width, which our models refuse, the last sine has no cosine."""
    if d_model % 2 == 0:
        return sinusoids(length, d_model, settings).numpy()
    even = d_model + 1
    wide = replace(
        settings, base=settings.base ** (even / d_model)
    )  # so that the frequencies are those of d_model columns
    return sinusoids(length, even, wide).numpy()[:, :-1]


def wavelengths(d_model: int, base: float) -> npt.NDArray[np.float64]:
    """Positions that each pair of columns takes for a whole turn, the fastest first (Vaswani et al. 2017, section 3.5)."""
    return 2 * math.pi * base ** (np.arange(0, d_model, 2) / d_model)


def pairs(d_model: int, layout: str) -> list[tuple[int, int]]:
    """The columns of each sine and its cosine, the fastest first; the sine that an odd width leaves alone is in none."""
    half = (d_model + 1) // 2
    return [
        (i, half + i) if layout == "halves" else (2 * i, 2 * i + 1) for i in range(d_model // 2)
    ]


def turned(vectors: Matrix, offset: int, settings: Positions) -> Matrix:
    """Each pair of columns turned as far as a wave goes in `offset` positions: of sinusoids, the vectors so many places on.

    sin(a + b) = sin a cos b + cos a sin b and cos(a + b) = cos a cos b - sin a sin b: a matrix that does not depend on the place.
    """
    d_model = vectors.shape[1]
    sines, cosines = (
        np.array(columns) for columns in zip(*pairs(d_model, settings.layout), strict=True)
    )
    angles = 2 * math.pi * offset / wavelengths(d_model, settings.base)[: len(sines)]
    found = vectors.astype(np.float64)
    found[:, sines] = vectors[:, sines] * np.cos(angles) + vectors[:, cosines] * np.sin(angles)
    found[:, cosines] = vectors[:, cosines] * np.cos(angles) - vectors[:, sines] * np.sin(angles)
    return found.astype(np.float32)


def rotation_gap(vectors: Matrix, offset: int, settings: Positions) -> float:
    """How far the turned vectors are from those `offset` places on: the largest difference of any number of any position.

    The sine without a cosine is left out. `offset` is less than the number of vectors.
    """
    whole = np.array(pairs(vectors.shape[1], settings.layout)).ravel()
    ahead = turned(vectors[: len(vectors) - offset], offset, settings)
    return float(np.abs(ahead - vectors[offset:])[:, whole].max())


@dataclass(frozen=True)
class ByOffset:
    """How alike positions are that stand 0, 1, ... apart: the mean over all such pairs, the least and the most."""

    mean: Matrix
    low: Matrix
    high: Matrix


def unit(vectors: Matrix) -> Matrix:
    """Each of length 1, so that dot products are cosines."""
    scaled: Matrix = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return scaled


def likeness(vectors: Matrix) -> Matrix:
    """Dot products: (positions, positions). Those of means of neighbours are the means of theirs."""
    alike: Matrix = vectors @ vectors.T
    return alike


def by_offset(alike: Matrix) -> ByOffset:
    """The diagonals of a square matrix."""
    diagonals = [np.diagonal(alike, offset) for offset in range(len(alike))]
    means, lows, highs = (
        np.array([take(one) for one in diagonals], np.float32) for take in (np.mean, np.min, np.max)
    )
    return ByOffset(means, lows, highs)


def rotary(d_head: int, settings: Positions) -> Rotary:
    """The model's module for heads of that width. Raises UserError for an odd one."""
    stack = Stack(n_heads=1)
    config = ModelConfig(
        d_model=d_head, positions=replace(settings, kind="rotary"), encoder=stack, decoder=stack
    )
    return Rotary(config, stack, is_causal=False)


def rotated(vector: Matrix, length: int, settings: Positions) -> Matrix:
    """One query or key (d_head,) at each of the first positions: (length, d_head)."""
    everywhere = torch.from_numpy(vector).expand(1, 1, length, -1)  # (batch, heads, length, d_head)
    return rotary(len(vector), settings).rotate(everywhere)[0, 0].numpy()


def rotary_scores(
    queries: Matrix, keys: Matrix, length: int, settings: Positions, start: int = 0
) -> Matrix:
    """q . k / sqrt(d_head) of each pair (n, d_head) when the key stands 0, 1, ... places before the query: (n, length).

    The query stands at `start + length - 1`; the scores do not depend on `start`.
    """
    n, d_head = queries.shape
    module = rotary(d_head, settings)
    behind = module.rotate(
        torch.from_numpy(keys)[:, None, None].expand(n, 1, length, d_head), start
    )  # (n, 1, length, d_head)
    query = module.rotate(
        torch.from_numpy(queries)[:, None, None], start + length - 1
    )  # (n, 1, 1, d_head)
    scores = (behind @ query.transpose(-1, -2))[:, 0, :, 0] / math.sqrt(d_head)  # (n, length)
    return scores.flip(1).numpy()


def drawn(n: int, d_head: int, seed: int = 1) -> Matrix:
    """Vectors of independent normals: (n, d_head)."""
    return torch.randn(n, d_head, generator=torch.Generator().manual_seed(seed)).numpy()


def slopes(n_heads: int) -> Matrix:
    """ALiBi's, a head each."""
    return alibi_slopes(n_heads).numpy()


def buckets(distances: Sequence[int] | Ints, settings: Positions, *, is_causal: bool) -> Ints:
    """T5's bucket of each distance, key minus query."""
    return relative_buckets(
        torch.as_tensor(np.asarray(distances, np.int64)), settings, is_causal=is_causal
    ).numpy()


def table(model: Transformer) -> Matrix | None:
    """The encoder's learned position vectors (positions, d_model), those before `offset` left out; None where it has none."""
    position = model.encoder.embed.position
    if not isinstance(position, Learned):
        return None
    return position.table.weight.detach().float().cpu().numpy()[position.settings.offset :]


def bucket_scores(model: Transformer) -> Matrix | None:
    """What the encoder learned to add for each bucket of distances: (buckets, heads); None where it has no buckets."""
    position = model.encoder.embed.position
    return (
        position.table.weight.detach().float().cpu().numpy()
        if isinstance(position, Relative)
        else None
    )


@contextlib.contextmanager
def without_positions(model: Transformer) -> Iterator[None]:
    """The encoder as if its positions were of the kind `none`, all weights as they are; the model is held meanwhile."""
    embed = model.encoder.embed
    with inference(model):
        held = embed.position
        embed.position = POSITIONS["none"].make(model.config, model.config.encoder, is_causal=False)
        try:
            yield
        finally:
            embed.position = held


@dataclass(frozen=True)
class Swapped:
    """What another order does to each token's encoder output, which is compared with its own: the largest difference of a number."""

    ordered: Matrix  # (src_len,) with positions
    bare: Matrix  # (src_len,) without
    size: float  # root of the mean square of the encoder's output: what a difference is to be compared with


def swapped(model: Transformer, ids: Sequence[int], order: Sequence[int]) -> Swapped:
    """Encode `ids`, then the same tokens with the one at `order[i]` in place i."""
    places = list(order)
    if sorted(places) != list(range(len(ids))):
        raise ValueError(f"`order` {places} does not name each of {len(ids)} places once")
    rows = torch.tensor([list(ids), [ids[place] for place in places]], device=model.device)
    with inference(model):
        ordered = _encoded(model, rows)
        with without_positions(model):
            bare = _encoded(model, rows)
    return Swapped(
        _gaps(ordered, places), _gaps(bare, places), float(np.sqrt(np.mean(np.square(ordered[0]))))
    )


def _encoded(model: Transformer, rows: Tensor) -> Matrix:
    memory: Matrix = (
        model.encoder(rows, masks.padding(rows, model.config.ids.pad)).float().cpu().numpy()
    )
    return memory


def _gaps(memory: Matrix, places: list[int]) -> Matrix:
    """Each token at its first place and at its second."""
    back = np.argsort(places)
    gaps: Matrix = np.abs(memory[1][back] - memory[0]).max(1)
    return gaps


@dataclass(frozen=True)
class Moved:
    """What the position does to each token's vector. `before` and `after` are the ids of the nearest tokens, by cosine.

    `before` is the nearest other one to the vector alone; `after` the nearest of all to the sum.
    """

    angles: Matrix  # degrees between the vector and the sum
    ratios: Matrix  # length of the sum, of the vector's
    before: Ints
    after: Ints


def moved(model: Transformer, ids: Sequence[int]) -> Moved | None:
    """Each token at its place; None where this model adds nothing to the vectors."""
    embed = model.encoder.embed
    if not isinstance(embed.position, Absolute):
        return None
    tokens = torch.tensor([list(ids)], device=model.device)
    with inference(model):
        vectors = embed.tokens(tokens)
        sums = embed.position.add(vectors, tokens.ne(embed.pad_id))[
            0
        ].double()  # (src_len, d_model)
        vectors = vectors[0].double()
        words = embed.tokens.weight.double()
        cosine = torch.cosine_similarity(vectors, sums, dim=1).clamp(-1, 1)
        alone = _cosines(vectors, words)
        alone[torch.arange(len(ids)), tokens[0]] = -2  # below every cosine
        ratios = sums.norm(dim=1) / vectors.norm(dim=1).clamp(min=1e-12)
        found = cosine.acos().rad2deg(), ratios, alone.argmax(1), _cosines(sums, words).argmax(1)
    angles, ratios, before, after = (each.cpu().numpy() for each in found)
    return Moved(angles.astype(np.float32), ratios.astype(np.float32), before, after)


def _cosines(vectors: Tensor, words: Tensor) -> Tensor:
    """(n, d_model) and (vocab, d_model) -> (n, vocab)."""
    unit: Tensor = (
        torch.nn.functional.normalize(vectors, dim=1)
        @ torch.nn.functional.normalize(words, dim=1).T
    )
    return unit
