"""A claim of a paper, what was measured of it here, and what follows: data and types. Knows nothing of screens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from s2s.lessons.lesson import View

Level = Literal["holds", "partly", "fails"]


class Series(NamedTuple):
    """One series of a picture: a line, or the bars of one color; `low` to `high` is the interval of y."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


class Picture(NamedTuple):
    """The picture of a claim: lines over x; bars with the names of `bars` where there are any, one per value of y."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    caption: str  # how to read it
    bars: tuple[str, ...] = ()
    is_log: bool = False  # x of lines


class Measured(NamedTuple):
    """The result for a claim: what the numbers say of it, and the numbers, by their columns."""

    level: Level
    finding: str
    method: str  # how it was measured, with n and seeds
    picture: Picture
    table: Mapping[str, tuple[str | float, ...]]


class Proof(NamedTuple):
    """A view that shows the claim alive."""

    label: str
    view: View


@dataclass(frozen=True)
class Claim:
    """One claim of a paper, a row of CLAIMS: everything from its statement to its picture. The id is in links."""

    id: str
    title: str
    statement: str
    source: str
    criterion: str  # when it holds, partly holds, and does not
    proofs: tuple[Proof, ...]
    measured: Measured
