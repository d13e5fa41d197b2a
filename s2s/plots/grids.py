"""Grids of numbers as colored cells, one below the other in one figure, on one scale of colors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from s2s.plots import theme

MOST_WHOLE = 12  # columns up to which numbers are written as 0.07, above as 07
MOST_WRITTEN = 24  # columns up to which numbers are written at all
CELL = 40  # pixels, of a cell's height
NARROW_CELL = 24
GAP = 62  # pixels between two tables: a title and an axis
TOP = 96

MOST_HEADS_WRITTEN = 8  # heads per layer up to which cells hold their number
MOST_INTERVALS = 4  # ... and their interval
HEAD_CELL = 44
INTERVAL_CELL = 62  # with three lines
NARROW_HEAD_CELL = 26
HEADS_TOP = 100  # a title of three lines, and that of the first grid
HEADS_BOTTOM = 100  # the last axis and the scale of colors
HEADS_GAP = 84

Values = npt.NDArray[np.floating[Any]]
Traces = list[go.Heatmap | go.Scatter]


class StackedGrid(NamedTuple):
    """One of several grids in a figure: its name, the height of its cells in pixels, and what it draws; the first row
    is at the top.
    """

    name: str
    height: int
    traces: Traces
    x_axis: Mapping[str, Any]
    y_axis: Mapping[str, Any]
    shapes: Sequence[Mapping[str, Any]] = ()


def stacked(grids: Sequence[StackedGrid], gap: float, layout: Mapping[str, Any]) -> go.Figure:
    """A figure of grids, with `gap`, a share of the height of all, between two; `layout` is of the figure."""
    subplots = make_subplots(
        rows=len(grids),
        cols=1,
        row_heights=[grid.height for grid in grids],
        vertical_spacing=gap if len(grids) > 1 else 0,
        subplot_titles=[theme.escaped(grid.name) for grid in grids],
    )
    # One dict, which Plotly checks once: it checks each update of a figure on its own.
    whole = subplots.layout.to_plotly_json()
    traces = []
    shapes = []
    for row, grid in enumerate(grids, 1):
        number = "" if row == 1 else str(row)
        whole[f"xaxis{number}"] |= grid.x_axis
        whole[f"yaxis{number}"] |= {**grid.y_axis, "autorange": "reversed"}
        traces += [trace.update(xaxis=f"x{number}", yaxis=f"y{number}") for trace in grid.traces]
        shapes += [{**shape, "xref": f"x{number}", "yref": f"y{number}"} for shape in grid.shapes]
    if shapes:
        whole["shapes"] = shapes
    return go.Figure(traces, whole | {"showlegend": False, "dragmode": False, **layout})


def grid_axis(name: str, n: int, ticks: Sequence[str] = ()) -> dict[str, Any]:
    """An axis of `n` cells, 0-based for traces; `ticks` name them, numbers from 1 without. No cell can be zoomed."""
    return {
        "title": {"text": name, "standoff": 2},
        "tickvals": [*range(n)],
        "ticktext": [*ticks] or [str(number + 1) for number in range(n)],
        "tickfont": {"size": theme.SMALLEST},
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
    }


def cells(values: Values, words: Sequence[str], shades: Values, **hover: Any) -> Traces:
    """Traces of colored cells with one word per cell, or none; `shades`, from 0 to 1, say how bright each cell is."""
    colors = go.Heatmap(z=values, coloraxis="coloraxis", xgap=2, ygap=2, **hover)
    if not words:
        return [colors]
    rows, columns = np.indices(values.shape).reshape(2, -1)
    font = {"size": theme.SMALLEST, "color": theme.text_colors(shades)}
    written = {"mode": "text", "textfont": font, "hoverinfo": "skip"}
    return [colors, go.Scatter(x=columns, y=rows, text=words, **written)]


def hovering(texts: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The trace's settings for a hover text on each cell."""
    escaped = [[theme.escaped(text) for text in row] for row in texts]
    return {"hovertext": escaped, "hovertemplate": "%{hovertext}<extra></extra>"}


class NumberGrid(NamedTuple):
    """A grid of numbers; `values` (rows, columns) from 0 to 1, NaN where there is none. `framed`: a row and column."""

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
    """A figure of tables with numbers on colors. `axes`: names of rows and columns; `ticks`: their labels, by default
    from 1.

    `scale` names what the numbers are; brighter is higher.
    """
    if not grids or not grids[0].values.size:
        return theme.empty("There are no numbers to show yet.")
    n_rows, n_columns = grids[0].values.shape
    height = n_rows * (CELL if n_columns <= MOST_WHOLE else NARROW_CELL)
    total = len(grids) * (height + GAP)
    rows = [
        StackedGrid(
            grid.name,
            height,
            _numbers(grid),
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


def _numbers(grid: NumberGrid) -> Traces:
    values = np.asarray(grid.values, np.float32)
    is_whole = values.shape[1] <= MOST_WHOLE
    is_written = values.shape[1] <= MOST_WRITTEN
    words = [_number(value, is_whole=is_whole) for value in values.ravel().tolist() if is_written]
    brightness = np.nan_to_num(values)
    return cells(values, words, brightness, **hovering(grid.hovers))


def _number(value: float, *, is_whole: bool) -> str:
    if np.isnan(value):
        return "–"
    written = f"{value:.2f}"
    return written if is_whole or written == "1.00" else written[2:]


def _frames(row: int, column: int) -> list[dict[str, Any]]:
    reach = 0.5 - theme.INSET
    edges = {"x0": column - reach, "x1": column + reach, "y0": row - reach, "y1": row + reach}
    rectangle = {"type": "rect", **edges, "layer": "above"}
    return [rectangle | {"line": {"color": color, "width": width}} for color, width in theme.FRAME]


class HeadValues(NamedTuple):
    """Heads of one kind of attention; all arrays are (layers, heads), `low` to `high` is the interval of a value."""

    name: str
    values: Values
    low: Values
    high: Values


def head_values(grids: Sequence[HeadValues], *, title: str, unit: str) -> go.Figure:
    """A figure with a number and its interval for every head: 0 is dark, larger ones are brighter, negative ones blue.

    A value in parentheses has an interval that includes 0.
    """
    shown = [grid for grid in grids if np.size(grid.values)]
    if not shown:
        return theme.empty("There are no heads to show yet.")
    limit = max(float(np.abs(grid.values).max()) for grid in shown) or 1.0
    rows = [
        StackedGrid(
            grid.name,
            _height(grid),
            _with_intervals(grid, limit, unit),
            grid_axis("head", grid.values.shape[1]),
            grid_axis("layer", grid.values.shape[0]),
        )
        for grid in shown
    ]
    total = sum(row.height + HEADS_GAP for row in rows) - HEADS_GAP
    place = {"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom"}
    bar = {"thickness": 10, "len": 0.7, **place}
    is_signed = any(float(np.min(grid.values)) < 0 for grid in shown)
    colors = {"colorscale": theme.SEQUENTIAL, "zmin": 0}
    if is_signed:
        colors = theme.around_zero(limit)
    colors = {"colorscale": colors["colorscale"], "cmin": colors["zmin"], "cmax": limit}
    layout = {
        "title": theme.heading(title),
        "height": total + HEADS_TOP + HEADS_BOTTOM,
        "margin": {"l": 48, "r": 12, "t": HEADS_TOP, "b": HEADS_BOTTOM},
        "coloraxis": colors | {"colorbar": bar},
    }
    return stacked(rows, HEADS_GAP / total, layout)


def _height(grid: HeadValues) -> int:
    n_layers, n_heads = map(int, grid.values.shape)
    if n_heads <= MOST_INTERVALS:
        return n_layers * INTERVAL_CELL
    return n_layers * (HEAD_CELL if n_heads <= MOST_HEADS_WRITTEN else NARROW_HEAD_CELL)


def _with_intervals(grid: HeadValues, limit: float, unit: str) -> Traces:
    values = np.asarray(grid.values, np.float32)
    n_heads = values.shape[1]
    layers, heads = np.indices(values.shape) + 1
    words = [
        _interval(*map(float, row), has_ends=n_heads <= MOST_INTERVALS)
        for row in zip(*(np.ravel(part) for part in grid[1:]), strict=True)
        if n_heads <= MOST_HEADS_WRITTEN
    ]
    hover = (
        f"{theme.escaped(grid.name)}, layer %{{customdata[2]:d}} head %{{customdata[3]:d}}<br>%{{z:.4f}}"
        f" {theme.escaped(unit)}<br>interval %{{customdata[0]:.4f}} to %{{customdata[1]:.4f}}<extra></extra>"
    )
    numbers = np.stack([grid.low, grid.high, layers, heads], -1)
    shades = np.abs(values) / limit
    return cells(values, words, shades, customdata=numbers, hovertemplate=hover)


def _interval(value: float, low: float, high: float, *, has_ends: bool) -> str:
    number = _digits(value)
    if low <= 0 <= high:
        number = f"({number})"
    if not has_ends:
        return number
    return f"<b>{number}</b><br>{_digits(low)} to<br>{_digits(high)}"


def _digits(value: float) -> str:
    """A number with at most three digits: `0.123`, `−1.23`."""
    return f"{value:.{max(0, 3 - (abs(value) >= 1) - (abs(value) >= 10))}f}".replace("-", "−")
