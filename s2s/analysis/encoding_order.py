"""Encode a source in two orders: all positions in parallel, or one at a time. Both give the same memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from s2s.model import EncoderLayer, KeysValues, Order, Position, Transformer, inference, masks

SECONDS = 1.2  # that a measurement may take in all
MOST_REPEATS = 20  # of each length
SEED = 1  # of the random tokens


@dataclass(frozen=True)
class EncodingTimes:
    """Seconds to encode a source in either order, by its length: the fastest of `repeats`, as other programs only slow
    it down.

    The two orders took turns. `difference`: the largest between the two memories, in any number.
    """

    lengths: tuple[int, ...]
    parallel: tuple[float, ...]
    one_by_one: tuple[float, ...]
    repeats: tuple[int, ...]
    difference: float


def encode_one_by_one(model: Transformer, src: Tensor) -> Tensor:
    """Encode like `model.encode`, but position by position: (1, src_len) ids -> memory (1, src_len, d_model).

    Within a layer, the keys and values of each position are computed, then the position's new state from them; no
    product has more than one row. The multiplications are the same as in parallel.
    """
    encoder = model.encoder
    length = src.shape[1]
    mask = masks.padding(src, model.config.ids.pad)  # (1, 1, 1, src_len)
    order = encoder.embed.position.order(length, device=src.device)
    states = [encoder.embed(src[:, i : i + 1], i) for i in range(length)]  # (1, 1, d_model) each
    orders = [_at(encoder.embed.position, order, i) for i in range(length)]
    for layer in encoder.layers:
        states = _layer(cast(EncoderLayer, layer), states, mask, orders)
    return torch.cat([encoder.final_norm(state) for state in states], 1)


def _at(position: Position, order: Order, i: int) -> Order:
    bias = None if order.bias is None else order.bias[:, :, i : i + 1]
    return Order(lambda x: position.rotate(x, i), bias)


def _layer(
    layer: EncoderLayer, states: list[Tensor], mask: Tensor, orders: Sequence[Order]
) -> list[Tensor]:
    attention = layer.self_attention
    residual = layer.self_residual
    read = [residual.norm(x) if residual.is_pre else x for x in states]
    each = [attention.keys_values(x, order) for x, order in zip(read, orders, strict=True)]
    known = KeysValues(
        torch.cat([one.keys for one in each], 2), torch.cat([one.values for one in each], 2)
    )
    found = []
    for x, order in zip(states, orders, strict=True):
        new = residual(x, lambda y, order=order: attention(y, known, mask, order))
        if layer.feed_forward_residual is not None:
            new = layer.feed_forward_residual(new, layer.feed_forward)
        found.append(new)
    return found


def encoding_times(
    model: Transformer,
    lengths: Sequence[int],
    seconds: float = SECONDS,
    clock: Callable[[], float] = time.perf_counter,
) -> EncodingTimes:
    """Time both orders on random tokens of these lengths, for about so many seconds in all."""
    draw = torch.Generator().manual_seed(SEED)
    rows = []
    difference = 0.0
    for length in lengths:
        low = model.config.ids.eos + 1
        high = model.encoder.embed.tokens.num_embeddings
        src = torch.randint(low, high, (1, length), generator=draw).to(model.device)
        with inference(model):  # the first pass of a shape is slower: it is not timed
            gap = (model.encode(src) - encode_one_by_one(model, src)).abs().max()
        difference = max(difference, float(gap))
        rows.append(_timed(model, src, seconds / len(lengths), clock))
    parallel, one_by_one, repeats = zip(*rows, strict=True)
    return EncodingTimes(tuple(lengths), parallel, one_by_one, repeats, difference)


def _timed(
    model: Transformer, src: Tensor, seconds: float, clock: Callable[[], float]
) -> tuple[float, float, int]:
    found: tuple[list[float], list[float]] = ([], [])
    until = time.perf_counter() + seconds
    while len(found[0]) < MOST_REPEATS and (not found[0] or time.perf_counter() < until):
        for times, encode in zip(found, (Transformer.encode, encode_one_by_one), strict=True):
            with inference(model):
                started = clock()
                encode(model, src)
                times.append(clock() - started)
    return min(found[0]), min(found[1]), len(found[0])
