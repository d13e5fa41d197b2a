"""Attention weights as a heatmap, for Plotly and as plain HTML, and as a table."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.plots import theme

Weights = npt.NDArray[np.float32]
LEGIBLE = 12  # rows or columns up to which numbers fit into the cells, also on a phone
ROW_HEIGHTS = ((8, 40), (12, 32), (24, 24), (64, 16))  # maximum number of rows, pixels per row
MAX_LEVEL = 7  # more keys than this are drawn late on a phone, where they may be slanted
ON_PHONE = 200  # pixels: keys that need more are slanted on a phone
MAX_SLANTED = 12  # more keys than this are vertical everywhere
# Of their letters; a label is drawn only where there are 1.2 times as many pixels.
VERTICAL_SIZE = 12
MAX_UNNUMBERED = 24  # tokens of one side; more are numbered
ABOVE = 33  # pixels from the tokens' line to the cells
MAX_CELLS = 900  # a larger heatmap waits for Plotly


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
    return go.Figure(
        heatmap_data(weights, keys, rows, title=title, verb=verb, sums=sums, per_row=per_row)
    )


def heatmap_data(
    weights: Weights,
    keys: Sequence[str],
    rows: Sequence[str],
    *,
    title: str,
    verb: str = "predicts",
    sums: Weights | None = None,
    per_row: bool = False,
) -> dict[str, Any]:
    """The data and layout of a heatmap. `weights` is (rows, keys): row i is the attention when the model predicts (in
    the encoder: reads) `rows[i]`.

    They are a dictionary, since Plotly would take longer to validate a figure than all else takes. `sums` (rows,) are
    shown on hover: for a part of a heatmap, the sums of whole rows. `per_row` scales each row by its largest weight;
    the numbers stay the weights.
    """
    if weights.shape != (len(rows), len(keys)):
        raise ValueError(f"weights are {weights.shape}, the tokens {(len(rows), len(keys))}")
    if weights.size == 0:
        return dict(theme.empty("There is no attention to show: one side has no tokens.").to_dict())
    has_numbers = max(weights.shape) <= LEGIBLE
    shades = by_row(weights) if per_row else weights
    cells = _cells(shades, _hover_text(keys, rows, verb, sums), has_scale=not has_numbers)
    if per_row:
        cells |= {"text": weights, "hovertemplate": "%{customdata}: %{text:.4f}<extra></extra>"}
        cells["colorbar"]["title"]["text"] = "share of the row maximum"
    traces = [cells, *([_numbers(weights, shades)] if has_numbers else [])]
    room = geometry(keys, rows)
    across = axis_above("attends to", 12, keys, title) | {"range": [-0.5, len(keys) - 0.5]}
    down = ticks(rows) | {"title": {"text": verb, "standoff": 12}, "range": [len(rows) - 0.5, -0.5]}
    margin = {**theme.MARGIN, "l": room.left, "t": room.top}
    height = margin["t"] + margin["b"] + len(rows) * room.row
    layout = {
        "xaxis": ticks(keys) | across,
        "yaxis": down,
        "title": theme.heading(title),
        "margin": margin,
        "height": height,
    }
    if len(keys) > MAX_SLANTED:
        layout |= {
            "xaxis": {"visible": False, "fixedrange": True, "range": across["range"]},
            "xaxis2": _vertical(keys) | across,
        }
        # An axis without a trace is not drawn.
        traces.append({"type": "scatter", "x": [], "y": [], "xaxis": "x2", "hoverinfo": "skip"})
    return {"data": traces, "layout": layout | {"dragmode": False, "showlegend": False}}


def numbered(tokens: Sequence[str], start: int = 1) -> list[str]:
    """Tokens with their numbers, `("the", "cat", "the")` -> `["1: the", "2: cat", "3: the"]`; unchanged where few
    tokens are all distinct.
    """
    needed = (
        len(tokens) > MAX_UNNUMBERED or start > 1 or max(Counter(tokens).values(), default=0) > 1
    )
    return (
        [f"{number}: {token}" for number, token in enumerate(tokens, start)]
        if needed
        else [*tokens]
    )


class Geometry(NamedTuple):
    """The layout of a heatmap in pixels: the margins left of and above the cells, and the height of a row."""

    left: int
    top: int
    row: int


def geometry(keys: Sequence[str], rows: Sequence[str]) -> Geometry:
    """The layout of a heatmap with these tokens."""
    above = _width(keys) if len(keys) > MAX_SLANTED else 0
    return Geometry(48 + _width(rows), theme.MARGIN["t"] + above, _row_height(len(rows)))


def axis_above(name: str, standoff: int, keys: Sequence[str], heading: str) -> dict[str, Any]:
    """The axis of the keys, above the cells. Where a phone slants its labels, or the figure's heading is long, empty
    lines in its name keep it off those.
    """
    axis = {"side": "top", "title": {"text": name, "standoff": standoff}}
    n_lines = heading.count("\n") + 1
    is_slanted = len(keys) * _width(keys) > ON_PHONE
    if len(keys) > MAX_SLANTED or not (is_slanted or n_lines > 2):
        return axis
    lines = "<br>" * n_lines
    return axis | {
        "title": {"text": lines + (name or "\xa0"), "standoff": standoff},
        "automargin": True,
    }


def _hover_text(
    keys: Sequence[str], rows: Sequence[str], verb: str, sums: Weights | None
) -> npt.NDArray[np.object_]:
    gerund = {"predicts": "predicting", "reads": "reading"}[verb]
    across, down = ([theme.escaped(token) for token in tokens] for tokens in (keys, rows))
    totals = (
        [""] * len(rows) if sums is None else [f" (its row sums to {total:.2f})" for total in sums]
    )
    hover = [
        [f"{gerund} <b>{word}</b>{total} it attends to <b>{key}</b>" for key in across]
        for word, total in zip(down, totals, strict=True)
    ]
    return np.array(hover, dtype=object)


def by_row(weights: Weights) -> Weights:
    """The weights with each row divided by its maximum; rows of zeros stay."""
    maximum = weights.max(1, keepdims=True)
    scaled: Weights = np.divide(weights, maximum, out=np.zeros_like(weights), where=maximum > 0)
    return scaled


def _cells(weights: Weights, hover: npt.NDArray[np.object_], *, has_scale: bool) -> dict[str, Any]:
    """The trace of the colors. A dict: Plotly validates each trace as it is made, and again as it joins a figure."""
    return {
        "type": "heatmap",
        "z": np.ascontiguousarray(weights, dtype=np.float32),
        "zmin": 0,
        "zmax": 1,
        "colorscale": theme.SEQUENTIAL,
        "xgap": 1,
        "ygap": 1,
        "customdata": hover,
        "hovertemplate": "%{customdata}: %{z:.4f}<extra></extra>",
        "showscale": has_scale,
        "colorbar": {
            "thickness": 10,
            "title": {"text": "weight", "side": "right"},
            "tickformat": ".1f",
            "tickfont": {"size": theme.SMALLEST},
        },
    }


def _numbers(weights: Weights, shades: Weights) -> dict[str, Any]:
    """The numbers in the cells, as a trace of its own: a heatmap writes in gray on the middle of the scale."""
    rows, columns = np.indices(weights.shape, dtype=np.float32)
    return {
        "type": "scatter",
        "x": columns.ravel(),
        "y": rows.ravel(),
        "mode": "text",
        "text": [f"{value:.2f}".removeprefix("0") for value in weights.ravel()],
        "textfont": {"color": theme.text_colors(shades), "size": 12},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


def ticks(tokens: Sequence[str]) -> dict[str, Any]:
    """The ticks of an axis of tokens. Cells are at numbered positions that tokens only label, so that a repeated token
    keeps both of its positions.
    """
    return {
        "tickmode": "array",
        "tickvals": list(range(len(tokens))),
        "ticktext": [theme.label(token) for token in tokens],
        "showgrid": False,
        "zeroline": False,
        "tickfont": {"size": 13},
        "fixedrange": True,
    }


def _vertical(tokens: Sequence[str]) -> dict[str, Any]:
    """Vertical labels, on a category axis above that of the cells: only of categories does Plotly know how many fit.

    Where the screen is too narrow for all, it draws every second, third and so on.
    """
    positions = [str(at) for at in range(len(tokens))]
    names = dict(zip(positions, ticks(tokens)["ticktext"], strict=True))
    kind = {"type": "category", "categoryarray": positions, "labelalias": names, "overlaying": "x"}
    return kind | {
        "tickangle": -90,
        "tickfont": {"size": VERTICAL_SIZE},
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }


def _width(tokens: Sequence[str]) -> int:
    """The width in pixels of the widest token. Plotly's automargin would draw the figure twice."""
    widths = [
        sum(
            13 if unicodedata.east_asian_width(character) in "WF" else 7
            for character in theme.shortened(token)
        )
        for token in tokens
    ]
    return max(widths, default=0)


def _row_height(n_rows: int) -> int:
    return next((height for limit, height in ROW_HEIGHTS if n_rows <= limit), ROW_HEIGHTS[-1][1])


def static_heatmap(
    weights: Weights, keys: Sequence[str], rows: Sequence[str], *, title: str
) -> str:
    """The heatmap as HTML: the cells, numbers and tokens of `plots.heatmap`; empty without cells, or with very many."""
    if not 0 < weights.size <= MAX_CELLS:
        return ""
    room = geometry(keys, rows)
    colors = theme.shades(weights)
    inks = theme.text_colors(weights)
    has_numbers = max(weights.shape) <= LEGIBLE
    figures = [f"{value:.2f}".removeprefix("0") if has_numbers else "" for value in weights.ravel()]
    cells = [
        f'<i style="background:{color};color:{ink}">{figure}</i>'
        for color, ink, figure in zip(colors, inks, figures, strict=True)
    ]
    width = len(keys)
    body = "".join(
        f"<b>{escape(theme.shortened(token))}</b>{''.join(cells[at * width : (at + 1) * width])}"
        for at, token in enumerate(rows)
    )
    head = "".join(
        f"<em>{escape(theme.shortened(token)) if width <= MAX_LEVEL else ''}</em>" for token in keys
    )
    lines = "<br>".join(escape(line) for line in title.split("\n"))
    columns = f"grid-template-columns:{room.left}px repeat({width},1fr)"
    grid = f"{columns};grid-template-rows:{ABOVE}px repeat({len(rows)},{room.row}px)"
    return (
        f'<div class="static-heatmap" aria-hidden="true"><p>{lines}</p>'
        f'<div style="{grid};top:{room.top - ABOVE}px;right:{theme.MARGIN["r"]}px"><b></b>{head}{body}</div></div>'
    )
