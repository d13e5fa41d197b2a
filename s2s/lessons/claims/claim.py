"""A claim of a paper, what was measured of it here, and what follows: data and types. Knows nothing of screens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from s2s.lessons.lesson import View

Level = Literal["holds", "partly", "fails"]
Results = Mapping[str, Any]
Row = Mapping[str, str | float]  # of a table, by column


class Finding(NamedTuple):
    """What the measured numbers say of a claim, and the numbers that say so."""

    level: Level
    sentence: str


class Series(NamedTuple):
    """A line, or the bars of one color; `low` to `high` is the interval of y."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True)
class Picture:
    """Lines over x; bars with the names of `bars` where there are any, one per value of y."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    caption: str  # how to read it
    bars: tuple[str, ...] = ()
    is_log: bool = False  # x of lines


class Proof(NamedTuple):
    """A view that shows the claim alive."""

    label: str
    view: View


@dataclass(frozen=True)
class Claim:
    """One row of CLAIMS: everything from its statement to its picture. The id is in links."""

    id: str
    title: str
    statement: str
    source: str
    criterion: str  # when it holds, partly holds, and does not
    proofs: tuple[Proof, ...]
    results: Callable[[], Results]  # saved, or computed
    judge: Callable[[Results], Finding]
    picture: Callable[[Results], Picture]
    rows: Callable[[Results], list[Row]]
    method: Callable[[Results], str]  # how it was measured, with n and seeds

    @property
    def finding(self) -> Finding:
        """What the results say."""
        return self.judge(self.results())
