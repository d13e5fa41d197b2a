"""One part of a longer measurement."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")


def stage(start: float, end: float, steps: Generator[float, None, T]) -> Generator[float, None, T]:
    """Shares of a part, 0 to 1, as shares of the whole, of which it is `start` to `end`; returns what it returns."""
    while True:
        try:
            share = next(steps)
        except StopIteration as stop:
            result: T = stop.value
            return result
        yield start + (end - start) * share
