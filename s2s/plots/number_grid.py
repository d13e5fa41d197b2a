"""Tables of numbers as colored cells, several in one picture: scores of heads by layer, or of each two heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from s2s.plots import theme
from s2s.plots.alignment_marks import FRAME, INSET
from s2s.plots.grid_axis import grid_axis

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
    low_is_bright: bool = False,
) -> go.Figure:
    """Numbers on colors. `axes`: names of rows and columns; `ticks`: their labels, by default from 1.

    `scale` names what the numbers are; brighter is higher, or lower with `low_is_bright`.
    """
    if not grids or not grids[0].values.size:
        return theme.empty(NOTHING)
    n_rows, n_columns = grids[0].values.shape
    height = n_rows * (CELL if n_columns <= MOST_WHOLE else NARROW_CELL)
    total = len(grids) * (height + GAP)
    figure = make_subplots(
        rows=len(grids),
        cols=1,
        vertical_spacing=GAP / total if len(grids) > 1 else 0,
        subplot_titles=[theme.escaped(grid.name) for grid in grids],
    )
    for row, grid in enumerate(grids, 1):
        where = {"row": row, "col": 1}
        figure.add_traces(_traces(grid, low_is_bright=low_is_bright), rows=row, cols=1)
        figure.update_yaxes(grid_axis(axes[0], n_rows, ticks) | {"autorange": "reversed"}, **where)
        figure.update_xaxes(
            grid_axis(axes[1] if row == len(grids) else "", n_columns, ticks), **where
        )
        if grid.framed is not None:
            for color, width in FRAME:
                figure.add_shape(
                    _frame(*grid.framed) | {"line": {"color": color, "width": width}}, **where
                )
    bar = {"title": {"text": scale}, "thickness": 10, "len": 0.6}
    return figure.update_layout(
        title=theme.heading(title),
        height=total + TOP,
        margin={"l": 48, "r": 12, "t": TOP, "b": 40},
        coloraxis={
            "colorscale": theme.SEQUENTIAL,
            "cmin": 0,
            "cmax": 1,
            "reversescale": low_is_bright,
            "colorbar": bar,
            "showscale": n_columns > MOST_WRITTEN,
        },
        showlegend=False,
        dragmode=False,
    )


def _traces(grid: NumberGrid, *, low_is_bright: bool) -> list[go.Heatmap | go.Scatter]:
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
    brightness = np.nan_to_num(1 - values if low_is_bright else values)
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


def _frame(row: int, column: int) -> dict[str, Any]:
    reach = 0.5 - INSET
    return {
        "type": "rect",
        "x0": column - reach,
        "x1": column + reach,
        "y0": row - reach,
        "y1": row + reach,
        "layer": "above",
    }
