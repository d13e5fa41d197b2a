"""Attention weights as pictures and tables."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.plots import theme

Weights = npt.NDArray[np.float32]

LEGIBLE = 12  # rows or columns up to which numbers fit into the cells, on a phone too
ROW_HEIGHTS = ((8, 40), (12, 32), (24, 24), (64, 16))  # up to so many rows, so many pixels each
LEVEL = 7  # more source tokens than this are written aslant on a phone, and need room above the cells
SLANT = 28  # pixels of that room


def heatmap(weights: Weights, keys: Sequence[str], rows: Sequence[str], *, title: str, verb: str = "predicts") -> go.Figure:
    """`weights` is (rows, keys): row i is where the model looks while it predicts (or, in the encoder, reads) `rows[i]`."""
    if weights.size == 0:
        return theme.empty("There is no attention to show: one side has no tokens.")
    if weights.shape != (len(rows), len(keys)):
        raise ValueError(f"weights are {weights.shape}, the tokens {(len(rows), len(keys))}")
    has_numbers = max(weights.shape) <= LEGIBLE
    traces = [_cells(weights, _said(keys, rows, verb), has_scale=not has_numbers), *([_numbers(weights)] if has_numbers else [])]
    across = _ticks(keys) | {"title": {"text": "looks at", "standoff": 12}, "side": "top", "range": [-0.5, len(keys) - 0.5]}
    down = _ticks(rows) | {"title": {"text": verb, "standoff": 12}, "range": [len(rows) - 0.5, -0.5]}
    place = geometry(keys, rows)
    margin = {**theme.MARGIN, "l": place.left, "t": place.top}
    height = margin["t"] + margin["b"] + len(rows) * place.row
    layout = {"xaxis": across, "yaxis": down, "title": theme.heading(title), "margin": margin, "height": height}
    return go.Figure(traces, layout | {"dragmode": False, "showlegend": False})


class Geometry(NamedTuple):
    """Pixels: room left of the cells and above them, and the height of a row."""

    left: int
    top: int
    row: int


def geometry(keys: Sequence[str], rows: Sequence[str]) -> Geometry:
    """Where the cells of a picture with these tokens stand."""
    return Geometry(_label_width(rows), theme.MARGIN["t"] + (SLANT if len(keys) > LEVEL else 0), _row_height(len(rows)))


def numbers(weights: Weights, keys: Sequence[str], rows: Sequence[str], verb: str = "predicts") -> str:
    """The matrix as CSV: what is looked at across, what is predicted or read down."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow([verb, *map(cell, keys)])
    table.writerows([cell(token), *(f"{value:.6f}" for value in row)] for token, row in zip(rows, weights, strict=True))
    return out.getvalue()


def cell(token: str) -> str:
    """A token in a table to download: a spreadsheet takes `=...` for a formula, and an apostrophe makes it text."""
    return f"'{token}" if token[:1] in "=+-@\t\r" and len(token) > 1 else token


def _said(keys: Sequence[str], rows: Sequence[str], verb: str) -> npt.NDArray[np.object_]:
    """What hovering over each cell says."""
    doing = {"predicts": "predicting", "reads": "reading"}[verb]
    across, down = ([theme.inert(token) for token in tokens] for tokens in (keys, rows))
    return np.array([[f"{doing} <b>{word}</b> it looks at <b>{key}</b>" for key in across] for word in down], dtype=object)


def _cells(weights: Weights, said: npt.NDArray[np.object_], *, has_scale: bool) -> go.Heatmap:
    return go.Heatmap(
        z=np.ascontiguousarray(weights, dtype=np.float32),
        zmin=0,
        zmax=1,
        colorscale=theme.SEQUENTIAL,
        xgap=1,
        ygap=1,
        customdata=said,
        hovertemplate="%{customdata}: %{z:.2f}<extra></extra>",
        showscale=has_scale,
        colorbar={"thickness": 10, "title": {"text": "weight", "side": "right"}, "tickformat": ".1f"},
    )


def _numbers(weights: Weights) -> go.Scatter:
    """Texts of their own, because a heatmap writes in grey on the middle of the scale."""
    rows, columns = np.indices(weights.shape, dtype=np.float32)
    return go.Scatter(
        x=columns.ravel(),
        y=rows.ravel(),
        mode="text",
        text=[f"{value:.2f}".removeprefix("0") for value in weights.ravel()],
        textfont={"color": theme.ink(weights), "size": 12},
        hoverinfo="skip",
        cliponaxis=False,
    )


def _ticks(tokens: Sequence[str]) -> dict[str, object]:
    """Positions carry the cells and tokens only name them, so that a word said twice keeps both places."""
    return {
        "tickmode": "array",
        "tickvals": list(range(len(tokens))),
        "ticktext": [theme.inert(theme.short(token)) for token in tokens],
        "showgrid": False,
        "zeroline": False,
        "tickfont": {"size": 13},
        "fixedrange": True,
    }


def _label_width(tokens: Sequence[str]) -> int:
    """Pixels for the axis title and the widest token. Plotly's own automargin draws the picture a second time."""
    return 48 + max(sum(13 if unicodedata.east_asian_width(sign) in "WF" else 7 for sign in theme.short(token)) for token in tokens)


def _row_height(n_rows: int) -> int:
    return next((height for most, height in ROW_HEIGHTS if n_rows <= most), ROW_HEIGHTS[-1][1])
