"""Two scores of several systems against each other: quality beside speed, quality beside diversity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.parallel_coordinates import ASIDE

SYMBOLS = ("circle", "diamond", "square", "cross", "triangle-up", "star", "x")
DECADE = 10.0  # from so many times the least on, an axis of speeds is set out by its logarithm
ROOM = 0.12  # of the range, around the points: names stand there
HEIGHTS = (
    "middle",
    "top",
    "bottom",
)  # of names, in turns, since neighbours' would cover each other
FAR = 0.6  # of the range; from there on names stand to the left


@dataclass(frozen=True)
class TradeoffPoint:
    """A system: `low` to `high` is the interval of what goes up, None where it is not known. `group` shares a color and a sign.

    `label` stands in the picture, where the name would be too long among many.
    """

    name: str
    across: float
    up: float
    low: float | None = None
    high: float | None = None
    group: int = 0
    label: str = ""


def tradeoff(points: Sequence[TradeoffPoint], *, title: str, across: str, up: str) -> go.Figure:
    """A named point a system, with the interval of its height."""
    if not points:
        return theme.empty("No system has both numbers.")
    layout = theme.layout(title, 380, across, up) | {"showlegend": False}
    layout["yaxis"] |= {"rangemode": "normal"}
    least, most = (pick(point.across for point in points) for pick in (min, max))
    if least > 0 and most >= DECADE * least:
        least = math.log10(least)
        most = math.log10(most)
        layout["xaxis"] |= {"type": "log", "rangemode": "normal", "dtick": "D2"}
    room = ROOM * ((most - least) or abs(most) or 1.0)
    layout["xaxis"] |= {"range": [least - room, most + room]}
    is_log = layout["xaxis"].get("type") == "log"
    edge = least + FAR * (most - least)
    order = sorted(range(len(points)), key=lambda place: points[place].across)
    sides = {
        place: _side(points[place].across, rank, is_log=is_log, edge=edge)
        for rank, place in enumerate(order)
    }
    return go.Figure(
        [_dot(point, sides[place], across, up) for place, point in enumerate(points)], layout
    )


def _side(across: float, rank: int, *, is_log: bool, edge: float) -> str:
    """Where a name stands beside its point."""
    place = math.log10(across) if is_log else across
    return f"{HEIGHTS[rank % len(HEIGHTS)]} {'left' if place > edge else 'right'}"


def _dot(point: TradeoffPoint, side: str, across: str, up: str) -> go.Scatter:
    color = theme.CATEGORICAL[point.group % len(theme.CATEGORICAL)]
    said = f"{theme.escaped(point.name)}<br>{theme.escaped(across)} %{{x:.4g}}<br>{theme.escaped(up)} %{{y:.4g}}<extra></extra>"
    spread: dict[str, Any] = {}
    if point.low is not None and point.high is not None:
        bars = {
            "type": "data",
            "symmetric": False,
            "array": [point.high - point.up],
            "arrayminus": [point.up - point.low],
        }
        spread = {"error_y": {**bars, "thickness": 1.2, "width": 4}}
    return go.Scatter(
        x=[point.across],
        y=[point.up],
        mode="markers+text",
        text=[f"{ASIDE}{theme.escaped(theme.shortened(point.label or point.name, 28))}{ASIDE}"],
        textposition=side,
        marker={"size": 11, "color": color, "symbol": SYMBOLS[point.group % len(SYMBOLS)]},
        name=theme.escaped(point.name),
        hovertemplate=said,
        cliponaxis=False,
        **spread,
    )
