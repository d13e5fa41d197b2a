"""Attention weights as pictures and tables."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.plots import theme

Weights = npt.NDArray[np.float32]

LEGIBLE = 12  # rows or columns up to which numbers fit into the cells, on a phone too
ROW_HEIGHTS = ((8, 40), (12, 32), (24, 24), (64, 16))  # up to so many rows, so many pixels each
LEVEL = (
    7  # more source tokens than this are written aslant on a phone, and need room above the cells
)
SLANT = 28  # pixels of that room
UPRIGHT = 12  # more than this are written upwards
UPRIGHT_SIZE = 12  # of their letters; each needs 1.2 times so many pixels, and only those that have them are written
MANY = 24  # tokens on a side from which on they are numbered


def heatmap(
    weights: Weights,
    keys: Sequence[str],
    rows: Sequence[str],
    *,
    title: str,
    verb: str = "predicts",
    sums: Weights | None = None,
    per_row: bool = False,
) -> go.Figure:
    """`weights` is (rows, keys): row i is where the model looks while it predicts (or, in the encoder, reads) `rows[i]`.

    Hovering says the row's sum where `sums` has it, (rows,): of a part of a picture, that of the whole row. `per_row` gives each
    row a scale of its own, on which its largest weight is 1; numbers stay the weights.
    """
    if weights.size == 0:
        return theme.empty("There is no attention to show: one side has no tokens.")
    if weights.shape != (len(rows), len(keys)):
        raise ValueError(f"weights are {weights.shape}, the tokens {(len(rows), len(keys))}")
    has_numbers = max(weights.shape) <= LEGIBLE
    shades = by_row(weights) if per_row else weights
    cells = _cells(shades, _said(keys, rows, verb, sums), has_scale=not has_numbers)
    if per_row:
        cells.update(text=weights, hovertemplate="%{customdata}: %{text:.4f}<extra></extra>")
        cells.colorbar.title.text = "share of the row's largest"
    traces = [cells, *([_numbers(weights, shades)] if has_numbers else [])]
    place = geometry(keys, rows)
    across = {
        "title": {"text": "looks at", "standoff": 12},
        "side": "top",
        "range": [-0.5, len(keys) - 0.5],
    }
    down = ticks(rows) | {"title": {"text": verb, "standoff": 12}, "range": [len(rows) - 0.5, -0.5]}
    margin = {**theme.MARGIN, "l": place.left, "t": place.top}
    height = margin["t"] + margin["b"] + len(rows) * place.row
    layout = {
        "xaxis": ticks(keys) | across,
        "yaxis": down,
        "title": theme.heading(title),
        "margin": margin,
        "height": height,
    }
    if len(keys) > UPRIGHT:
        layout |= {
            "xaxis": {"visible": False, "fixedrange": True, "range": across["range"]},
            "xaxis2": _upright(keys) | across,
        }
        traces.append(
            go.Scatter(x=[], y=[], xaxis="x2", hoverinfo="skip")
        )  # an axis without a trace is not drawn
    return go.Figure(traces, layout | {"dragmode": False, "showlegend": False})


def numbered(tokens: Sequence[str], start: int = 1) -> list[str]:
    """`("the", "cat", "the")` -> `["1 the", "2 cat", "3 the"]`; as they are where each is told from the others at a glance."""
    needed = len(tokens) > MANY or start > 1 or max(Counter(tokens).values(), default=0) > 1
    return (
        [f"{place} {token}" for place, token in enumerate(tokens, start)] if needed else [*tokens]
    )


class Geometry(NamedTuple):
    """Pixels: room left of the cells and above them, and the height of a row."""

    left: int
    top: int
    row: int


def geometry(keys: Sequence[str], rows: Sequence[str]) -> Geometry:
    """Where the cells of a picture with these tokens stand."""
    room = _width(keys) if len(keys) > UPRIGHT else SLANT if len(keys) > LEVEL else 0
    return Geometry(48 + _width(rows), theme.MARGIN["t"] + room, _row_height(len(rows)))


def attention_csv(
    weights: Weights, keys: Sequence[str], rows: Sequence[str], verb: str = "predicts"
) -> str:
    """The matrix as CSV: what is looked at across, what is predicted or read down."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow([verb, *map(csv_cell, keys)])
    table.writerows(
        [csv_cell(token), *(f"{value:.6f}" for value in row)]
        for token, row in zip(rows, weights, strict=True)
    )
    return out.getvalue()


def csv_cell(token: str) -> str:
    """A token in a table to download: a spreadsheet takes `=...` for a formula, and an apostrophe makes it text."""
    return f"'{token}" if token[:1] in "=+-@\t\r" and len(token) > 1 else token


def _said(
    keys: Sequence[str], rows: Sequence[str], verb: str, sums: Weights | None
) -> npt.NDArray[np.object_]:
    """What hovering over each cell says."""
    doing = {"predicts": "predicting", "reads": "reading"}[verb]
    across, down = ([theme.escaped(token) for token in tokens] for tokens in (keys, rows))
    totals = (
        [""] * len(rows) if sums is None else [f" (its row sums to {total:.2f})" for total in sums]
    )
    said = [
        [f"{doing} <b>{word}</b>{total} it looks at <b>{key}</b>" for key in across]
        for word, total in zip(down, totals, strict=True)
    ]
    return np.array(said, dtype=object)


def by_row(weights: Weights) -> Weights:
    """Each row divided by its largest; a row of zeros stays."""
    most = weights.max(1, keepdims=True)
    scaled: Weights = np.divide(weights, most, out=np.zeros_like(weights), where=most > 0)
    return scaled


def _cells(weights: Weights, said: npt.NDArray[np.object_], *, has_scale: bool) -> go.Heatmap:
    return go.Heatmap(
        z=np.ascontiguousarray(weights, dtype=np.float32),
        zmin=0,
        zmax=1,
        colorscale=theme.SEQUENTIAL,
        xgap=1,
        ygap=1,
        customdata=said,
        hovertemplate="%{customdata}: %{z:.4f}<extra></extra>",
        showscale=has_scale,
        colorbar={
            "thickness": 10,
            "title": {"text": "weight", "side": "right"},
            "tickformat": ".1f",
        },
    )


def _numbers(weights: Weights, shades: Weights) -> go.Scatter:
    """Texts of their own, because a heatmap writes in grey on the middle of the scale."""
    rows, columns = np.indices(weights.shape, dtype=np.float32)
    return go.Scatter(
        x=columns.ravel(),
        y=rows.ravel(),
        mode="text",
        text=[f"{value:.2f}".removeprefix("0") for value in weights.ravel()],
        textfont={"color": theme.text_colors(shades), "size": 12},
        hoverinfo="skip",
        cliponaxis=False,
    )


def ticks(tokens: Sequence[str]) -> dict[str, Any]:
    """Positions carry the cells and tokens only name them, so that a word said twice keeps both places."""
    return {
        "tickmode": "array",
        "tickvals": list(range(len(tokens))),
        "ticktext": [theme.escaped(theme.shortened(token)) for token in tokens],
        "showgrid": False,
        "zeroline": False,
        "tickfont": {"size": 13},
        "fixedrange": True,
    }


def _upright(tokens: Sequence[str]) -> dict[str, Any]:
    """Tokens written upwards, on an axis of categories over that of the cells: of those alone Plotly knows how many there is room
    for. Where the screen is too narrow for all, it writes every second, third and so on.
    """
    places = [str(place) for place in range(len(tokens))]
    names = dict(zip(places, ticks(tokens)["ticktext"], strict=True))
    kind = {"type": "category", "categoryarray": places, "labelalias": names, "overlaying": "x"}
    return kind | {
        "tickangle": -90,
        "tickfont": {"size": UPRIGHT_SIZE},
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }


def _width(tokens: Sequence[str]) -> int:
    """Pixels of the widest token. Plotly's own automargin draws the picture a second time."""
    return max(
        sum(
            13 if unicodedata.east_asian_width(sign) in "WF" else 7
            for sign in theme.shortened(token)
        )
        for token in tokens
    )


def _row_height(n_rows: int) -> int:
    return next((height for most, height in ROW_HEIGHTS if n_rows <= most), ROW_HEIGHTS[-1][1])
