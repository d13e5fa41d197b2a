"""The limit of a trainer or a decoder on a CPU: if it did nothing but its matrix products, as fast as this machine computes them."""

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
from s2s.train import is_fast_accurate, matrix_products

ROWS = 4096  # of the layers' products: the slots of a batch
VOCABULARY_ROWS = 512  # more of them, and the scores leave the cache: half the speed
SECONDS = 0.1  # of each product
BACKENDS = {"MKL": "exact", "oneDNN": "fast"}  # as our recipes call them
PASSES = 3  # forward, for the gradient of the input, for that of the weight


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
    """Floating-point operations of a mean pair, forward only; a multiplication and an addition are two."""

    weights: dict[Product, float]  # by the shape in which they are best computed
    attention: float  # scores and what they gather

    @property
    def total(self) -> float:
        """All of it."""
        return sum(self.weights.values()) + self.attention


def lengths(data: Encoded) -> Lengths:
    """What the text asks for, whatever the batches make of it."""
    src = np.array([len(row) for row in data.src], dtype=np.float64)
    tgt = np.array(
        [len(row) - 1 for row in data.tgt], dtype=np.float64
    )  # `<s>` is read and not predicted
    return Lengths(*(float(values.mean()) for values in (src, tgt, src**2, tgt**2, src * tgt)))


def work(recipe: Recipe, vocab_size: int, mean: Lengths) -> Work:
    """By Vaswani et al. 2017, for a feed-forward without a gate; a causal mask saves nothing."""
    model = recipe.model
    d_model = recipe.model.d_model
    weights: defaultdict[Product, float] = defaultdict(float)
    attention = 0.0
    for stack, tokens, crossing, looks in (
        (model.encoder, mean.src, 0.0, mean.src_squared),
        (model.decoder, mean.tgt, mean.src + mean.tgt, mean.tgt_squared + mean.src_tgt),
    ):
        inner = stack.n_heads * model.d_head(stack)
        uses = (
            (d_model, inner, 4 * tokens + 2 * crossing),
            (d_model, stack.d_ff, tokens),
            (stack.d_ff, d_model, tokens),
        )
        for size, columns, times in uses:
            weights[Product(ROWS, size, columns)] += 2 * stack.n_layers * times * size * columns
        attention += 4 * stack.n_layers * inner * looks
    weights[Product(VOCABULARY_ROWS, d_model, vocab_size)] += 2 * mean.tgt * d_model * vocab_size
    return Work(dict(weights), attention)


def flops_a_token(recipe: Recipe, vocab_size: int, mean: Lengths) -> float:
    """Of training: forward and backward, a real source or target token."""
    return PASSES * work(recipe, vocab_size, mean).total / (mean.src + mean.tgt)


def speeds(asked: Work) -> dict[str, float]:
    """Operations a CPU second (of the clock, with several threads) of each backend at these shapes; attention counts as their mean."""
    found = {}
    for name in accurate():
        with matrix_products(BACKENDS[name]):
            seconds = sum(flops / _speed(shape) for shape, flops in asked.weights.items())
        found[name] = sum(asked.weights.values()) / seconds
    return found


def accurate() -> list[str]:
    """The backends that compute float32 here: with AMX oneDNN takes bfloat16 instead."""
    return list(BACKENDS) if is_fast_accurate() else ["MKL"]


def forward_seconds(asked: Work, rows: int) -> float:
    """CPU seconds of a pair's forward work where each product has so many rows; the faster backend's, attention as the products' mean."""
    seconds = sum(
        flops / _forward_speed(shape._replace(rows=rows))
        for shape, flops in asked.weights.items()
        if flops
    )
    return seconds * asked.total / sum(asked.weights.values())


def _forward_speed(shape: Product) -> float:
    x = torch.randn(*shape[:2])
    weight = torch.randn(*shape[1:])
    found = []
    for name in accurate():
        with matrix_products(BACKENDS[name]):
            found.append(_timed(lambda: x @ weight, 2.0 * shape.rows * shape.inner * shape.columns))
    return max(found)


def _speed(shape: Product) -> float:
    """The three products of a training step with this weight, one as often as another."""
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
