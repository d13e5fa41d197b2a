"""95 % intervals of shares, of their differences and of means over seeds; the spread of curves over seeds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

from s2s.lessons.claims import Series

Z = 1.96
# Student's t at 97.5 %, by degrees of freedom.
T = MappingProxyType({1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365})


class Interval(NamedTuple):
    value: float
    low: float
    high: float

    def text(self, digits: int = 1, unit: str = "") -> str:
        """`−4.3 points [−6.0, −2.6]`."""
        value, low, high = (signed(number, digits) for number in self)
        return f"{value}{unit} [{low}, {high}]"


def signed(number: float, digits: int = 1) -> str:
    """With a minus sign, not a hyphen."""
    return f"{number:.{digits}f}".replace("-", "−")


def share(right: int, n: int) -> Interval:
    """In percent (Wilson 1927)."""
    if not n:
        return Interval(0.0, 0.0, 100.0)
    p = right / n
    middle = (p + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z * math.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)
    return Interval(100 * p, 100 * max(0.0, middle - half), 100 * min(1.0, middle + half))


def difference(first: Interval, second: Interval) -> Interval:
    """Of two shares of other sentences each, first minus second (Newcombe 1998, method 10)."""
    gap = first.value - second.value
    low = math.hypot(first.value - first.low, second.high - second.value)
    high = math.hypot(first.high - first.value, second.value - second.low)
    return Interval(gap, gap - low, gap + high)


def mean(values: Sequence[float]) -> Interval:
    """Over seeds, by Student's t."""
    middle = statistics.fmean(values)
    if len(values) < 2:
        return Interval(middle, -math.inf, math.inf)
    half = T[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))
    return Interval(middle, middle - half, middle + half)


def spread(name: str, x: Sequence[float], curves: Sequence[Sequence[float]]) -> Series:
    """The mean of the curves, from their lowest to their highest value, up to the end of the shortest."""
    points = list(zip(*curves, strict=False))
    means = tuple(sum(point) / len(point) for point in points)
    low, high = tuple(map(min, points)), tuple(map(max, points))
    return Series(name, tuple(x[: len(points)]), means, low, high)
