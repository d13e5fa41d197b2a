"""Two numbers of every head against each other, one point each; the kinds of attention differ in color and symbol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from s2s.plots import theme

SYMBOLS = ("circle", "diamond", "square")


class HeadPoint(NamedTuple):
    """A head; `low` to `high` is the interval of y."""

    name: str
    x: float
    y: float
    low: float
    high: float


def head_scatter(
    kinds: Mapping[str, Sequence[HeadPoint]], *, title: str, x_label: str, y_label: str
) -> go.Figure:
    """`kinds`: the points of each kind of attention, by its name."""
    shown = {name: points for name, points in kinds.items() if points}
    if not shown:
        return theme.empty("There are no heads to show yet.")
    layout = theme.layout(title, 400, x_label, y_label)
    layout["xaxis"] |= {"rangemode": "normal"}
    layout["yaxis"] |= {"rangemode": "normal"}
    traces = [
        _kind(name, points, number, (x_label, y_label))
        for number, (name, points) in enumerate(shown.items())
    ]
    return go.Figure(traces, layout | {"showlegend": True})


def _kind(
    name: str, points: Sequence[HeadPoint], number: int, labels: tuple[str, str]
) -> go.Scatter:
    x_label, y_label = map(theme.escaped, labels)
    color = theme.CATEGORICAL[number % len(theme.CATEGORICAL)]
    return go.Scatter(
        x=[point.x for point in points],
        y=[point.y for point in points],
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [point.high - point.y for point in points],
            "arrayminus": [point.y - point.low for point in points],
            "thickness": 1.2,
            "width": 3,
        },
        mode="markers",
        marker={"size": 10, "color": color, "symbol": SYMBOLS[number % len(SYMBOLS)]},
        name=theme.escaped(name),
        customdata=[theme.escaped(point.name) for point in points],
        hovertemplate=f"%{{customdata}}<br>{x_label} %{{x:.4f}}<br>{y_label} %{{y:.4f}}<extra></extra>",
    )
