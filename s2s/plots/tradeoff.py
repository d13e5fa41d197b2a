"""Two scores of several systems against each other, such as quality and speed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.parallel_coordinates import SPACER

SYMBOLS = ("circle", "diamond", "square", "cross", "triangle-up", "star", "x")
LOG_RATIO = 10.0  # from this ratio of the largest to the smallest value on, the axis is logarithmic
ROOM = 0.12  # of the range, around the points, for their names
HEIGHTS = ("middle", "top", "bottom")  # of names, in turn: those of neighbors would overlap
ROUNDING = 1e-9  # by which equal values may differ, as a share of them
FAR = 0.6  # of the range; from there on names are on the left


@dataclass(frozen=True)
class TradeoffPoint:
    """A system. `low` to `high` is the interval of `y`, None where it is unknown; a `group` shares color and symbol.

    `label` replaces a name that is too long for the picture.
    """

    name: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    group: int = 0
    label: str = ""


def tradeoff(
    points: Sequence[TradeoffPoint], *, title: str, x_label: str, y_label: str
) -> go.Figure:
    if not points:
        return theme.empty("No system has both scores.")
    layout = theme.layout(title, 380, x_label, y_label) | {"showlegend": False}
    layout["yaxis"] |= {"rangemode": "normal"} | _level(points)
    least, most = (pick(point.x for point in points) for pick in (min, max))
    if least > 0 and most >= LOG_RATIO * least:
        layout["xaxis"] |= theme.log_axis(least, most)
        least = math.log10(least)
        most = math.log10(most)
    room = _room(least, most)
    layout["xaxis"] |= {"range": [least - room, most + room]}
    is_log = layout["xaxis"].get("type") == "log"
    edge = least + FAR * (most - least)
    order = sorted(range(len(points)), key=lambda place: points[place].x)
    sides = {
        place: _side(points[place].x, rank, is_log=is_log, edge=edge)
        for rank, place in enumerate(order)
    }
    return go.Figure(
        [_dot(point, sides[place], x_label, y_label) for place, point in enumerate(points)], layout
    )


def _level(points: Sequence[TradeoffPoint]) -> dict[str, Any]:
    """A range where all systems score the same but for rounding, which Plotly alone would zoom into."""
    ends = [end for point in points for end in (point.low, point.y, point.high) if end is not None]
    least = min(ends)
    most = max(ends)
    if not _are_equal(least, most):
        return {}
    room = _room(least, most)
    return {"range": [least - room, most + room]}


def _room(least: float, most: float) -> float:
    return ROOM * ((abs(most) or 1.0) if _are_equal(least, most) else most - least)


def _are_equal(least: float, most: float) -> bool:
    return most - least <= ROUNDING * max(abs(least), abs(most))


def _side(x: float, rank: int, *, is_log: bool, edge: float) -> str:
    place = math.log10(x) if is_log else x
    return f"{HEIGHTS[rank % len(HEIGHTS)]} {'left' if place > edge else 'right'}"


def _dot(point: TradeoffPoint, side: str, x_label: str, y_label: str) -> go.Scatter:
    color = theme.CATEGORICAL[point.group % len(theme.CATEGORICAL)]
    values = f"{theme.escaped(x_label)} %{{x:.4g}}<br>{theme.escaped(y_label)} %{{y:.4g}}"
    hover = f"{theme.escaped(point.name)}<br>{values}<extra></extra>"
    spread: dict[str, Any] = {}
    if point.low is not None and point.high is not None:
        bars = {
            "type": "data",
            "symmetric": False,
            "array": [point.high - point.y],
            "arrayminus": [point.y - point.low],
        }
        spread = {"error_y": {**bars, "thickness": 1.2, "width": 4}}
    return go.Scatter(
        x=[point.x],
        y=[point.y],
        mode="markers+text",
        text=[f"{SPACER}{theme.escaped(theme.shortened(point.label or point.name, 28))}{SPACER}"],
        textposition=side,
        marker={"size": 11, "color": color, "symbol": SYMBOLS[point.group % len(SYMBOLS)]},
        name=theme.escaped(point.name),
        hovertemplate=hover,
        cliponaxis=False,
        **spread,
    )
