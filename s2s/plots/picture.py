"""A picture as data: what the page, a notebook, a snapshot, a report and a handout draw, each in its own way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.plots import svg
from s2s.questions import Table


class LinkedTokens(NamedTuple):
    """Two columns of tokens joined by lines, by the name of the head."""

    links: Mapping[str, svg.Links]
    keys: Sequence[str]
    rows: Sequence[str]
    verb: str


class AllHeads(NamedTuple):
    """Every head as a small square: weights (layers, heads, rows, keys), and each head's role, by layer and head."""

    weights: npt.NDArray[np.float32]
    rows: Sequence[str]
    keys: Sequence[str]
    verb: str
    roles: Sequence[Sequence[str]]
    chosen: tuple[int | None, int | None]  # layer and head, 0-based; None: the mean
    enlarged: tuple[int, int] | None
    per_row: bool


class NamedFile(NamedTuple):
    """Something more to download: its label, the file's whole name and its kind; made when it is asked for."""

    label: str
    name: str
    mime: str
    content: Callable[[], str | bytes]


Figure: TypeAlias = go.Figure | LinkedTokens | AllHeads | Table | None


@dataclass(frozen=True)
class Picture:
    """One picture of an answer. Texts are plain, without markup; whoever draws it escapes them.

    `finding` is one sentence of what it shows, empty where nothing is worth one; `caption` says how to read it. `table`
    has its numbers. `vector(title=, caption=)` draws it as SVG for a paper, where it can be drawn without Plotly.
    Pressing a mark sets the fields `picks` of its question. Without a figure the table is the picture; a figure that is
    a table has the cells of `table` as they are read.
    """

    name: str  # in names of files and of elements
    title: str  # lines: which run and checkpoint, what of it
    figure: Figure
    alt: str
    table: Table
    finding: str = ""
    caption: str = ""
    vector: Callable[..., str] | None = None
    picks: tuple[str, ...] = ()
    files: tuple[NamedFile, ...] = ()

    @property
    def one_line(self) -> str:
        """The title on one line."""
        return self.title.replace("\n", " · ")
