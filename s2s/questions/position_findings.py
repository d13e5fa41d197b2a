"""What the arrays of a positional encoding show, in words; nothing here knows which kinds there are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from s2s.analysis import Matrix
from s2s.analysis import positions as engine
from s2s.questions.finding import Finding

if TYPE_CHECKING:
    from s2s.questions.position_kinds import Encoding, PositionKinds

SHIFT = 100  # positions that query and key are moved together, to see whether their score stays
ROUNDING = 1e-3  # of the largest number: a smaller difference is rounding


def is_small(value: float, values: engine.Waves | Matrix) -> bool:
    """Whether a difference is only rounding, compared with the size of the values."""
    return bool(value <= ROUNDING * float(np.abs(values).max()))


@dataclass(frozen=True)
class Facts:
    """The facts in the sentences about an encoding; each property needs its part of the answer."""

    asked: PositionKinds
    found: Encoding

    @property
    def columns(self) -> Matrix | None:
        return self.found.query if self.found.vectors is None else self.found.vectors

    @property
    def waves(self) -> engine.Waves:
        waves = self.found.waves
        return np.zeros((2, 1), np.complex128) if waves is None else waves

    @property
    def n(self) -> int:
        return 0 if self.columns is None else len(self.columns)

    @property
    def n_vectors(self) -> int:
        return 0 if self.columns is None else len({row.tobytes() for row in self.columns})

    @property
    def n_pairs(self) -> int:
        return int(self.waves.shape[1])

    @property
    def pair(self) -> int:
        """The number, from 1, of the chosen pair of columns."""
        return self.asked.chosen(self.found) + 1

    def _period(self, pair: int) -> str:
        return rounded(float(engine.wavelengths(self.waves)[pair]))

    @property
    def fast(self) -> str:
        return self._period(0)

    @property
    def slow(self) -> str:
        return self._period(-1)

    @property
    def period(self) -> str:
        return self._period(self.pair - 1)

    def _angle(self, pair: int) -> str:
        return f"{abs(math.degrees(engine.rotation(self.waves, 1).angles[pair])):.3g}°"

    @property
    def first_angle(self) -> str:
        return self._angle(0)

    @property
    def last_angle(self) -> str:
        return self._angle(-1)

    @property
    def offset(self) -> int:
        return self.asked.over(self.found)

    @property
    def miss(self) -> str:
        return f"{engine.rotation(self.waves, self.offset).error:.1g}"

    @property
    def size(self) -> str:
        return f"{np.abs(self.waves).max():.2g}"

    @property
    def near(self) -> engine.ByOffset:
        return self.asked.similarity(self.found)

    @property
    def measure(self) -> str:
        return {"dot": "dot product"}.get(self.asked.measure, self.asked.measure)

    @property
    def half(self) -> int:
        return self.n // 2

    @property
    def similar(self) -> list[str]:
        """Similarities as text: of neighbors, and of positions half the length apart."""
        return [f"{self.near.mean[at]:.2g}" for at in (1, self.half)]

    @property
    def spread(self) -> str:
        return f"{self.near.spread:.2g}"

    @property
    def is_by_distance(self) -> bool:
        return is_small(self.near.spread, self.near.mean)

    @property
    def moved(self) -> str:
        """The largest change of a score when query and key move together, as text."""
        return f"{self.found.moved:.1g}"

    @property
    def shift(self) -> int:
        return SHIFT

    @property
    def bias(self) -> Matrix:
        """What the encoding adds to scores: (heads, distances)"""
        return np.zeros((1, 1), np.float32) if self.found.bias is None else self.found.bias.mean

    @property
    def slopes(self) -> Matrix:
        """What each head subtracts at distance 1: (heads,)."""
        (before,) = np.flatnonzero(self.found.distances == -1)
        slopes: Matrix = -self.bias[:, before]
        return slopes

    @property
    def is_linear(self) -> bool:
        expected = -np.outer(self.slopes, np.abs(self.found.distances))
        return is_small(float(np.abs(self.bias - expected).max()), self.bias)

    @property
    def steepest(self) -> str:
        return self._head(int(self.slopes.argmax()))

    @property
    def flattest(self) -> str:
        return self._head(int(self.slopes.argmin()))

    def _head(self, head: int) -> str:
        return f"head {head + 1} by {self.slopes[head]:.3g}"

    @property
    def n_numbers(self) -> int:
        return len(np.unique(self.bias[0]))

    @property
    def n_distances(self) -> int:
        return int(self.bias.shape[1])


def rounded(number: float) -> str:
    """A number as text with three digits: `6.28`, `54,400`."""
    return f"{number:.3g}" if number < 1000 else f"{float(f'{number:.3g}'):,.0f}"


def _has(part: str) -> Any:
    return lambda facts: getattr(facts.found, part) is not None


def _rotates(facts: Facts) -> bool:
    return facts.found.is_rotation


NOTHING = Finding(
    lambda facts: True,
    "This encoding changes nothing: only the decoder's causal mask tells an order.",
)
FINDINGS: Mapping[str, tuple[Finding, ...]] = MappingProxyType(
    {
        "rotation": (
            Finding(
                _rotates,
                "Moving by {offset} positions rotates every pair of columns by its own fixed angle, wherever one"
                " starts. So “{offset} positions later” is one and the same matrix in the whole sentence, which a layer"
                " can learn.",
            ),
            Finding(
                lambda facts: facts.columns is not None,
                "No rotation leads from every position to the one {offset} later: the best one misses by up to {miss},"
                " and the numbers are at most {size}.",
            ),
            Finding(_has("bias"), "Nothing is rotated: a number is added to each score."),
            NOTHING,
        ),
        "matrix": (
            Finding(
                lambda facts: facts.found.vectors is not None and facts.n_vectors < facts.n,
                "{n} positions share {n_vectors} vectors: the encoding cannot tell all of them apart.",
            ),
            Finding(
                lambda facts: facts.found.vectors is not None and _rotates(facts),
                "Every position gets a vector of its own, made of {n_pairs} waves: the fastest repeats after"
                " {fast} positions, the slowest after {slow}.",
            ),
            Finding(
                _has("vectors"), "Every position gets a vector of its own, which follows no wave."
            ),
            Finding(
                _rotates,
                "Nothing is added to the words. Queries and keys are rotated instead, each pair of columns by its own"
                " angle: from {first_angle} per position to {last_angle}.",
            ),
            Finding(
                _has("query"),
                "Nothing is added to the words. Queries and keys are changed instead, at each position differently.",
            ),
            Finding(
                lambda facts: facts.found.bias is not None and facts.found.first_head is None,
                "Nothing is added to the words. A number is added to each score instead, and it depends on the distance"
                " alone.",
            ),
            Finding(
                _has("bias"),
                "Nothing is added to the words. A number is added to each score instead, and it depends on both"
                " positions.",
            ),
            NOTHING,
        ),
        "waves": (
            Finding(
                _rotates,
                "Pair {pair} of {n_pairs} repeats every {period} positions. Fast pairs tell neighbors apart, slow ones"
                " near from far: from {fast} to {slow} positions.",
            ),
            Finding(
                lambda facts: facts.columns is not None,
                "These columns follow no wave: nothing in them says which position comes next.",
            ),
            Finding(
                _has("bias"),
                "There are no waves: nothing is added to the words or rotated, only a number is added to each score.",
            ),
            NOTHING,
        ),
        "distance": (
            Finding(
                lambda facts: facts.found.vectors is not None and facts.is_by_distance,
                "How similar two positions are depends on their distance alone: the {measure} is {similar[0]} for"
                " neighbors and {similar[1]} for positions {half} apart.",
            ),
            Finding(
                _has("vectors"),
                "How similar two positions are does not depend on their distance alone: pairs equally far apart differ"
                " by up to {spread}.",
            ),
            Finding(
                lambda facts: (
                    facts.found.scores is not None
                    and is_small(facts.found.moved, facts.found.scores)
                ),
                "Only the distance counts: when query and key both move by {shift} positions, no score changes, up to"
                " rounding.",
            ),
            Finding(
                _has("scores"),
                "Not only the distance counts: when query and key both move by {shift} positions, a score changes by up"
                " to {moved}.",
            ),
            Finding(
                lambda facts: facts.found.bias is not None and facts.found.first_head is not None,
                "The number that is added to a score depends on both positions, not on their distance alone.",
            ),
            Finding(
                lambda facts: facts.found.bias is not None and facts.is_linear,
                "Each head lowers a score in proportion to the distance: {steepest} per position, {flattest}.",
            ),
            Finding(
                lambda facts: facts.found.bias is not None and facts.n_numbers < facts.n_distances,
                "Distances share numbers: each head adds {n_numbers} different ones for {n_distances} distances.",
            ),
            Finding(
                _has("bias"), "The number that is added to a score depends on the distance alone."
            ),
            NOTHING,
        ),
    }
)
