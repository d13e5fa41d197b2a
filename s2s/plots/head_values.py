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
    """One grid below the other on one scale of colors, 0 is dark, larger values are brighter; negative ones blue.

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
            _traces(grid, limit, unit),
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
    is_signed = any(float(np.min(grid.values)) < 0 for grid in shown)
    colors = (
        theme.around_zero(limit)
        if is_signed
        else {"colorscale": theme.SEQUENTIAL, "zmin": 0, "zmax": limit}
    )
    layout = {
        "title": theme.heading(title),
        "height": total + TOP + BOTTOM,
        "margin": {"l": 48, "r": 12, "t": TOP, "b": BOTTOM},
        "coloraxis": {
            "colorscale": colors["colorscale"],
            "cmin": colors["zmin"],
            "cmax": limit,
            "colorbar": scale,
        },
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


def _traces(grid: HeadValues, limit: float, unit: str) -> list[go.Heatmap | go.Scatter]:
    """The colors, and the numbers on them."""
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
    shares = (np.abs(values) / limit).astype(np.float32)
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
    number = _digits(value)
    if low <= 0 <= high:
        number = f"({number})"
    if not has_interval:
        return number
    return f"<b>{number}</b><br>{_digits(low)} to<br>{_digits(high)}"


def _digits(value: float) -> str:
    """At most three: `0.123`, `−1.23`."""
    return f"{value:.{max(0, 3 - (abs(value) >= 1) - (abs(value) >= 10))}f}".replace("-", "−")
