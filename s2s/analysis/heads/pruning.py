"""What is left when the least important heads are switched off, one after another (Michel et al. 2019, section 4)."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from s2s.analysis.heads.batches import Batch, Floats, forced_log_probs, n_tokens
from s2s.analysis.heads.importance import intervals
from s2s.analysis.intervene import Head, ablate
from s2s.model import Transformer

MOST_POINTS = (
    25  # of a curve: a model of more heads is measured at evenly spread numbers of pruned heads
)


@dataclass(frozen=True, eq=False)
class PruneCurve:
    """The loss in nats per token, with its 95 % interval, when the first `n_pruned` heads of `order` are off."""

    order: tuple[Head, ...]
    n_pruned: tuple[int, ...]
    loss: Floats
    low: Floats
    high: Floats


def least_first(importance: Mapping[Head, float]) -> tuple[Head, ...]:
    """Heads by importance; equal ones keep their order."""
    return tuple(sorted(importance, key=importance.__getitem__))


def random_orders(heads: Sequence[Head], n: int, seed: int) -> list[tuple[Head, ...]]:
    """A baseline: n orders drawn from a seed."""
    rng = np.random.default_rng(seed)
    return [tuple(heads[i] for i in rng.permutation(len(heads))) for _ in range(n)]


def numbers_pruned(n_heads: int, most: int = MOST_POINTS) -> tuple[int, ...]:
    """From none to all, at most `most` numbers: `(5, 3)` -> `(0, 2, 5)`."""
    points = np.linspace(0, n_heads, min(most, n_heads + 1))
    return tuple(int(point) for point in points)


def prune_curve(
    model: Transformer,
    sample: Sequence[Batch],
    order: Sequence[Head],
    n_pruned: Sequence[int] | None = None,
) -> Generator[float, None, PruneCurve]:
    """The loss at each of these numbers of pruned heads; by default those of `numbers_pruned`."""
    numbers = numbers_pruned(len(order)) if n_pruned is None else tuple(n_pruned)
    tokens = n_tokens(model, sample)
    sums = np.zeros((len(numbers), len(tokens)))
    steps = len(numbers) * len(sample)
    for row, number in enumerate(numbers):
        for column, batch in enumerate(sample):
            with ablate(model, dict.fromkeys(order[:number], "off")):
                total = forced_log_probs(model, batch).double().sum(1)  # (batch,)
                sums[row, batch.rows] = -total.cpu().numpy()
            yield (row * len(sample) + column + 1) / steps
    low, high = intervals(sums, tokens)
    return PruneCurve(tuple(order), numbers, sums.sum(1) / tokens.sum(), low, high)
