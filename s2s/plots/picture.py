"""A picture as data: what the page, a notebook, a snapshot, a report and a handout draw, each in its own way."""

from __future__ import annotations

import base64
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
import plotly.io
from plotly.basedatatypes import BaseFigure

from s2s.plots import svg
from s2s.plots.diagram import Diagram
from s2s.questions import Table


class LinkedTokens(NamedTuple):
    """Two columns of tokens, joined by lines for each head."""

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


class ComparedTexts(NamedTuple):
    """Texts by their captions, one below the other; differences from the first are marked in the others."""

    texts: Mapping[str, str]
    nouns: tuple[str, str]  # for `words that are only in ...`: the others', the first one's


class ComparedRows(NamedTuple):
    """A table with columns of texts; differences from the row's text in `other` are marked, None marks nothing."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]  # cells as they are read
    of: Sequence[str]  # the columns of texts
    other: Sequence[str | None]
    nouns: tuple[str, str]  # for the legend: a text, what it is compared with
    bars: str = ""  # a column of shares of 1, each with a bar ...
    shares: Sequence[float] = ()  # ... of this length; NaN: none


class TokenRows(NamedTuple):
    """Texts by their captions, each as its tokens with their probabilities."""

    captions: Sequence[str]
    tokens: Sequence[Sequence[str]]
    log_probs: Sequence[Sequence[float]]  # nats


class NamedFile(NamedTuple):
    """One more file to download, made on request; a name that begins with a period is only an ending."""

    label: str
    name: str
    mime: str
    content: Callable[[], str | bytes]
    about: str = ""


# A mapping is a Plotly figure's data and layout; a table has the cells of the picture's table as they are read.
Figure: TypeAlias = (
    go.Figure
    | Mapping[str, Any]
    | LinkedTokens
    | AllHeads
    | ComparedTexts
    | ComparedRows
    | TokenRows
    | Diagram
    | Table
    | None
)


@dataclass(frozen=True)
class Picture:
    """One picture of an answer. Texts are plain, without markup; whoever draws it escapes them.

    `finding` is one sentence of what it shows, empty where nothing is worth one; `caption` says how to read it. `table`
    has its numbers. `vector(title=, caption=)` draws it as SVG for a paper, with `about` as its caption. Pressing a
    mark sets the fields `picks` of its question. `early()` is HTML that stands where Plotly will draw, until it does.
    Without a figure, the table is what is drawn.
    """

    name: str  # in names of files and of elements
    title: str  # lines: which run and checkpoint, what of it
    figure: Figure
    alt: str
    table: Table
    finding: str = ""
    caption: str = ""
    about: str = ""
    vector: Callable[..., str] | None = None
    picks: tuple[str, ...] = ()
    early: Callable[[], str] | None = None
    files: tuple[NamedFile, ...] = ()

    @property
    def one_line(self) -> str:
        return self.title.replace("\n", " · ")

    def svg(self) -> str:
        """The picture as SVG for a paper; empty if only Plotly can draw it."""
        return self.vector(title=self.one_line, caption=self.about) if self.vector else ""


class DrawnFigure(BaseFigure):  # type: ignore[misc]
    """A finished figure that is not validated again: it offers only what drawing needs."""

    def __init__(self, figure: Mapping[str, Any]) -> None:
        object.__setattr__(self, "figure", figure)

    def to_dict(self) -> dict[str, Any]:
        layout = {"template": _template(), **self.figure["layout"]}
        return {"data": [_packed(trace) for trace in self.figure["data"]], "layout": layout}


@functools.cache
def _template() -> dict[str, Any]:
    found: dict[str, Any] = plotly.io.templates[plotly.io.templates.default].to_plotly_json()
    return found


def _packed(trace: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(value) for name, value in trace.items()}


def _value(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype != np.float32:
        return value.tolist()
    data = base64.b64encode(value.tobytes()).decode()
    shape = {"shape": ", ".join(map(str, value.shape))} if value.ndim > 1 else {}
    return {"dtype": "f4", "bdata": data, **shape}
