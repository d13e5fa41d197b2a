"""What measurements share: sentences as batches, and one part of a longer measurement."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TypeVar

from s2s.analysis import heads
from s2s.config import UserError
from s2s.data import Pair
from s2s.runs import Run, encoded_pairs

T = TypeVar("T")


def stage(start: float, end: float, steps: Generator[float, None, T]) -> Generator[float, None, T]:
    """Yields the shares (0 to 1) of `steps`, a part from `start` to `end` of the whole, as shares of that whole.

    Returns what `steps` returns.
    """
    while True:
        try:
            share = next(steps)
        except StopIteration as stop:
            result: T = stop.value
            return result
        yield start + (end - start) * share


def encoded(run: Run, pairs: Sequence[Pair]) -> tuple[list[heads.Batch], list[Pair]]:
    """Batches of the pairs that fit the model, and these pairs in the order of rows. Raises UserError without any."""
    found = encoded_pairs(run, [(pair.src, pair.tgt) for pair in pairs])
    if not found:
        raise UserError(
            f"None of the {len(pairs)} sentence pairs fits the model's positions; choose shorter sentences."
        )
    return heads.batched(run.model, found), [pairs[one.number] for one in found]
