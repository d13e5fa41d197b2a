"""Tables of numbers as colored cells, several in one picture: scores of heads by layer, or of each two heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.alignment_marks import FRAME, INSET
from s2s.plots.grid_axis import grid_axis
from s2s.plots.stacked import StackedGrid, stacked

MOST_WHOLE = 12  # columns up to which numbers are written as 0.07, above as 07
MOST_WRITTEN = 24  # columns up to which numbers are written at all
CELL = 40  # pixels, of a cell's height
NARROW_CELL = 24
GAP = 62  # pixels between two tables: a title and an axis
TOP = 96
NOTHING = "There are no numbers to show yet."

Values = npt.NDArray[np.floating[Any]]


class NumberGrid(NamedTuple):
    """One table; `values` (rows, columns) from 0 to 1, NaN where there is none. `framed`: a row and column."""

    name: str
    values: Values
    hovers: Sequence[Sequence[str]]
    framed: tuple[int, int] | None = None


def number_grids(
    grids: Sequence[NumberGrid],
    *,
    title: str,
    axes: tuple[str, str],
    scale: str,
    ticks: Sequence[str] = (),
) -> go.Figure:
    """Numbers on colors. `axes`: names of rows and columns; `ticks`: their labels, by default from 1.

    `scale` names what the numbers are; brighter is higher.
    """
    if not grids or not grids[0].values.size:
        return theme.empty(NOTHING)
    n_rows, n_columns = grids[0].values.shape
    height = n_rows * (CELL if n_columns <= MOST_WHOLE else NARROW_CELL)
    total = len(grids) * (height + GAP)
    rows = [
        StackedGrid(
            grid.name,
            height,
            _traces(grid),
            grid_axis(axes[1] if grid is grids[-1] else "", n_columns, ticks),
            grid_axis(axes[0], n_rows, ticks),
            _frames(*grid.framed) if grid.framed is not None else (),
        )
        for grid in grids
    ]
    bar = {"title": {"text": scale}, "thickness": 10, "len": 0.6}
    colors = {"colorscale": theme.SEQUENTIAL, "cmin": 0, "cmax": 1, "colorbar": bar}
    layout = {
        "title": theme.heading(title),
        "height": total + TOP,
        "margin": {"l": 48, "r": 12, "t": TOP, "b": 40},
        "coloraxis": colors | {"showscale": n_columns > MOST_WRITTEN},
    }
    return stacked(rows, GAP / total, layout)


def _traces(grid: NumberGrid) -> list[go.Heatmap | go.Scatter]:
    """The colors, and the numbers on them."""
    values = np.asarray(grid.values, np.float32)
    colors = go.Heatmap(
        z=values,
        coloraxis="coloraxis",
        xgap=2,
        ygap=2,
        hovertext=[[theme.escaped(text) for text in row] for row in grid.hovers],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    if values.shape[1] > MOST_WRITTEN:
        return [colors]
    rows, columns = np.indices(values.shape).reshape(2, -1)
    brightness = np.nan_to_num(values)
    numbers = go.Scatter(
        x=columns,
        y=rows,
        text=[
            _number(value, is_whole=values.shape[1] <= MOST_WHOLE)
            for value in values.ravel().tolist()
        ],
        mode="text",
        textfont={"size": theme.SMALLEST, "color": theme.text_colors(brightness)},
        hoverinfo="skip",
    )
    return [colors, numbers]


def _number(value: float, *, is_whole: bool) -> str:
    if np.isnan(value):
        return "–"
    written = f"{value:.2f}"
    return written if is_whole or written == "1.00" else written[2:]


def _frames(row: int, column: int) -> list[dict[str, Any]]:
    reach = 0.5 - INSET
    rectangle = {
        "type": "rect",
        "x0": column - reach,
        "x1": column + reach,
        "y0": row - reach,
        "y1": row + reach,
        "layer": "above",
    }
    return [rectangle | {"line": {"color": color, "width": width}} for color, width in FRAME]
