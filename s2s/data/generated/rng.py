"""Draws that are the same on every machine: only `Random.random` is promised to stay as it is between Python versions."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Everything drawn by lot in the stories, from one seed."""

    def __init__(self, seed: int) -> None:
        self._roll = Random(seed).random

    def chance(self, probability: float) -> bool:
        return self._roll() < probability

    def between(self, low: int, high: int) -> int:
        """Both ends included."""
        return low + int(self._roll() * (high - low + 1))

    def choice(self, among: Sequence[T]) -> T:
        return among[int(self._roll() * len(among))]

    def some(self, among: Sequence[T], size: int) -> list[T]:
        """So many different ones, in the order drawn."""
        left = list(among)
        return [left.pop(int(self._roll() * len(left))) for _ in range(size)]
