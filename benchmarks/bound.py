"""Upper bound for the speed of a trainer or decoder: only its matrix products, as fast as this CPU computes them."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from s2s.config import Recipe
from s2s.data import Encoded
from s2s.training import is_fast_accurate, matrix_products

ROWS = 4096  # of the layers' matrix products: the tokens of a batch, padding included
VOCABULARY_ROWS = 512  # with more the logits leave the cache, at half the speed
SECONDS = 0.1  # that each product is timed
BACKENDS = {"MKL": "exact", "oneDNN": "fast"}  # by precision in our recipes
PASSES = 3  # forward, gradient of the input, gradient of the weight


class Lengths(NamedTuple):
    """Means over all pairs, `</s>` included."""

    src: float
    tgt: float
    src_squared: float
    tgt_squared: float
    src_tgt: float


class Product(NamedTuple):
    """x (rows, inner) times a weight (inner, columns)."""

    rows: int
    inner: int
    columns: int


@dataclass(frozen=True)
class Work:
    """FLOPs of an average pair, forward only; a multiplication and an addition count as two."""

    weights: dict[Product, float]  # by the shape that is computed fastest
    attention: float  # attention scores and weighted sums (QK^T and AV)

    @property
    def total(self) -> float:
        return sum(self.weights.values()) + self.attention


def lengths(data: Encoded) -> Lengths:
    """The average lengths of the data, without padding."""
    src = np.array([len(row) for row in data.src], dtype=np.float64)
    tgt = np.array([len(row) - 1 for row in data.tgt], dtype=np.float64)  # `<s>` is never predicted
    return Lengths(*(float(values.mean()) for values in (src, tgt, src**2, tgt**2, src * tgt)))


def work(recipe: Recipe, vocab_size: int, mean: Lengths) -> Work:
    """FLOPs as in Vaswani et al. 2017, feed-forward without a gate; a causal mask is assumed to save nothing."""
    model = recipe.model
    d_model = recipe.model.d_model
    weights: defaultdict[Product, float] = defaultdict(float)
    attention = 0.0
    for stack, tokens, memory_tokens, scores in (
        (model.encoder, mean.src, 0.0, mean.src_squared),
        (model.decoder, mean.tgt, mean.src + mean.tgt, mean.tgt_squared + mean.src_tgt),
    ):
        inner = stack.n_heads * model.d_head(stack)
        uses = (
            (d_model, inner, 4 * tokens + 2 * memory_tokens),
            (d_model, stack.d_ff, tokens),
            (stack.d_ff, d_model, tokens),
        )
        for size, columns, times in uses:
            weights[Product(ROWS, size, columns)] += 2 * stack.n_layers * times * size * columns
        attention += 4 * stack.n_layers * inner * scores
    weights[Product(VOCABULARY_ROWS, d_model, vocab_size)] += 2 * mean.tgt * d_model * vocab_size
    return Work(dict(weights), attention)


def flops_per_token(recipe: Recipe, vocab_size: int, mean: Lengths) -> float:
    """Training FLOPs, forward and backward, per real source or target token."""
    return PASSES * work(recipe, vocab_size, mean).total / (mean.src + mean.tgt)


def speeds(needed: Work) -> dict[str, float]:
    """FLOPs per CPU second (per wall-clock second with several threads) by backend, at these shapes."""
    found = {}
    for name in accurate():
        with matrix_products(BACKENDS[name]):
            seconds = sum(flops / _speed(shape) for shape, flops in needed.weights.items())
        found[name] = sum(needed.weights.values()) / seconds
    return found


def accurate() -> list[str]:
    """The backends that compute in float32 here: with AMX, oneDNN uses bfloat16 instead."""
    return list(BACKENDS) if is_fast_accurate() else ["MKL"]


def forward_seconds(needed: Work, rows: int) -> float:
    """CPU seconds of the forward work where each product has this many rows, with the faster backend.

    Attention is assumed to be as fast as the average product.
    """
    seconds = sum(
        flops / _forward_speed(shape._replace(rows=rows))
        for shape, flops in needed.weights.items()
        if flops
    )
    return seconds * needed.total / sum(needed.weights.values())


def _forward_speed(shape: Product) -> float:
    x = torch.randn(*shape[:2])
    weight = torch.randn(*shape[1:])
    found = []
    for name in accurate():
        with matrix_products(BACKENDS[name]):
            found.append(_timed(lambda: x @ weight, 2.0 * shape.rows * shape.inner * shape.columns))
    return max(found)


def _speed(shape: Product) -> float:
    x, weight, gradient = (
        torch.randn(*size) for size in (shape[:2], shape[1:], (shape.rows, shape.columns))
    )
    products: tuple[Callable[[], torch.Tensor], ...] = (
        lambda: x @ weight,
        lambda: gradient @ weight.T,
        lambda: x.T @ gradient,
    )
    return PASSES / sum(
        1 / _timed(product, 2.0 * shape.rows * shape.inner * shape.columns) for product in products
    )


def _timed(product: Callable[[], torch.Tensor], flops: float) -> float:
    clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    product()
    started = clock()
    times = 0
    while clock() - started < SECONDS:
        product()
        times += 1
    return times * flops / (clock() - started)
