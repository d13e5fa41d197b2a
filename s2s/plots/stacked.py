"""Grids of cells, one below the other in one figure, on one scale of colors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from s2s.plots import theme


class StackedGrid(NamedTuple):
    """One grid: its name, the height of its cells in pixels, and what it draws; the first row is at the top."""

    name: str
    height: int
    traces: Sequence[go.Heatmap | go.Scatter]
    x_axis: Mapping[str, Any]
    y_axis: Mapping[str, Any]
    shapes: Sequence[Mapping[str, Any]] = ()


def stacked(grids: Sequence[StackedGrid], gap: float, layout: Mapping[str, Any]) -> go.Figure:
    """The grids with `gap`, a share of the height of all, between two; `layout` is of the figure."""
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
