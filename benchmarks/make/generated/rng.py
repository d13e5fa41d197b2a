"""Random choices that are the same everywhere: `Random.random` is stable between Python versions."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Rng:
    """The random choices of a generated dataset, from one seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed).random

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def between(self, low: int, high: int) -> int:
        """A random integer, both ends included."""
        return low + int(self._random() * (high - low + 1))

    def choice(self, options: Sequence[T]) -> T:
        return options[int(self._random() * len(options))]

    def some(self, options: Sequence[T], size: int) -> list[T]:
        """`size` distinct elements, in random order."""
        left = list(options)
        return [left.pop(int(self._random() * len(left))) for _ in range(size)]
