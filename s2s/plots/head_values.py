"""A number with its interval for every head: layers down and heads across, one grid per kind of attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.stacked import StackedGrid, stacked

Values = npt.NDArray[np.floating[Any]]
MOST_WRITTEN = 8  # heads per layer up to which cells hold their number
MOST_INTERVALS = 4  # ... and their interval
CELL = 44  # pixels, of a cell's height
INTERVAL_CELL = 62  # with three lines
NARROW_CELL = 26
TOP = 100  # a title of three lines, and that of the first grid
BOTTOM = 100  # the last axis and the scale of colors
GAP = 84  # pixels between two grids: a title and an axis


class HeadValues(NamedTuple):
    """One kind of attention; all arrays are (layers, heads), `low` to `high` is the interval of a value."""

    name: str
    values: Values
    low: Values
    high: Values


def head_values(grids: Sequence[HeadValues], *, title: str, unit: str) -> go.Figure:
    """One grid below the other on one scale of colors, brighter for larger values.

    A value in parentheses has an interval that includes 0.
    """
    shown = [grid for grid in grids if np.size(grid.values)]
    if not shown:
        return theme.empty("There are no heads to show yet.")
    least = min(float(np.min(grid.values)) for grid in shown)
    most = max(float(np.max(grid.values)) for grid in shown)
    rows = [
        StackedGrid(
            grid.name,
            _height(grid),
            _traces(grid, least, most, unit),
            _axis("head", grid.values.shape[1]),
            _axis("layer", grid.values.shape[0]),
        )
        for grid in shown
    ]
    total = sum(row.height for row in rows) + GAP * (len(rows) - 1)
    scale = {
        "orientation": "h",
        "thickness": 10,
        "len": 0.7,
        "y": 0,
        "yref": "container",
        "yanchor": "bottom",
    }
    colors = {"colorscale": theme.SEQUENTIAL, "cmin": least, "cmax": most, "colorbar": scale}
    layout = {
        "title": theme.heading(title),
        "height": total + TOP + BOTTOM,
        "margin": {"l": 48, "r": 12, "t": TOP, "b": BOTTOM},
        "coloraxis": colors,
    }
    return stacked(rows, GAP / total, layout)


def _height(grid: HeadValues) -> int:
    n_layers, n_heads = map(int, grid.values.shape)
    if n_heads <= MOST_INTERVALS:
        return n_layers * INTERVAL_CELL
    return n_layers * (CELL if n_heads <= MOST_WRITTEN else NARROW_CELL)


def _axis(name: str, n: int) -> dict[str, Any]:
    return {
        "title": {"text": name, "standoff": 2},
        "tickvals": [*range(1, n + 1)],
        "tickfont": {"size": theme.SMALLEST},
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
    }


def _traces(
    grid: HeadValues, least: float, most: float, unit: str
) -> list[go.Heatmap | go.Scatter]:
    values = np.asarray(grid.values, np.float32)
    colors = go.Heatmap(
        z=values,
        coloraxis="coloraxis",
        xgap=2,
        ygap=2,
        customdata=np.stack([grid.low, grid.high], -1),
        hovertemplate=f"{theme.escaped(grid.name)}, layer %{{y:d}} head %{{x:d}}<br>%{{z:.4f}}"
        f" {theme.escaped(unit)}<br>interval %{{customdata[0]:.4f}} to %{{customdata[1]:.4f}}"
        "<extra></extra>",
        x=np.arange(1, values.shape[1] + 1),
        y=np.arange(1, values.shape[0] + 1),
    )
    if values.shape[1] > MOST_WRITTEN:
        return [colors]
    layers, heads = np.indices(values.shape).reshape(2, -1)
    shares = (values - least) / ((most - least) or 1.0)
    has_interval = values.shape[1] <= MOST_INTERVALS
    words = [
        _word(*(float(part[layer, head]) for part in grid[1:]), has_interval=has_interval)
        for layer, head in zip(layers, heads, strict=True)
    ]
    texts = go.Scatter(
        x=heads + 1,
        y=layers + 1,
        text=words,
        mode="text",
        textfont={"size": theme.SMALLEST, "color": theme.text_colors(shares)},
        hoverinfo="skip",
    )
    return [colors, texts]


def _word(value: float, low: float, high: float, *, has_interval: bool) -> str:
    number = f"{value:.3f}".replace("-", "−")
    if low <= 0 <= high:
        number = f"({number})"
    if not has_interval:
        return number
    return f"<b>{number}</b><br>{low:.3f} to<br>{high:.3f}".replace("-", "−")
