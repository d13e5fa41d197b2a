"""Scores as points and lines: of systems against each other, over a setting, and of single sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.parallel_coordinates import SPACER

SYMBOLS = ("circle", "diamond", "square", "cross", "triangle-up", "star", "x")
LOG_RATIO = 10.0  # from this ratio of the largest to the smallest value on, the axis is logarithmic
ROOM = 0.12  # of the range, around the points, for their names
HEIGHTS = ("middle", "top", "bottom")  # of names, in turn: those of neighbors would overlap
ROUNDING = 1e-9  # by which equal values may differ, as a share of them
FAR = 0.6  # of the range; from there on names are on the left
SWEEP_LOG_RATIO = (
    8.0  # from this ratio of the largest to the smallest value on, the axis is logarithmic
)
DASHES = ("solid", "dash", "dot", "dashdot")
MOST_POINTS = 2000  # drawn, evenly spread: more cover each other, and the page has to load them
MAX_TEXT = 60  # characters of a sentence in the hover text


@dataclass(frozen=True)
class TradeoffPoint:
    """A system as a point. `low` to `high` is the interval of `y`, None where it is unknown; a `group` shares color and
    symbol.

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
    """The axis where all systems score the same but for rounding, which Plotly alone would zoom into."""
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


@dataclass(frozen=True)
class SweepLine:
    """One line of a sweep: the values of the setting, the score at each, and its interval where it is known."""

    name: str
    values: tuple[float, ...]
    scores: tuple[float, ...]
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()


def sweep_curve(lines: Sequence[SweepLine], *, title: str, x_label: str, y_label: str) -> go.Figure:
    if not any(line.values for line in lines):
        return theme.empty("No setting was swept here.")
    layout = theme.layout(title, 340, x_label, y_label)
    layout["yaxis"] |= {"rangemode": "normal"}
    values = sorted({value for line in lines for value in line.values})
    layout["xaxis"] |= {
        "rangemode": "normal",
        "tickmode": "array",
        "tickvals": values,
        "ticktext": [f"{value:g}" for value in values],
    }
    if values[0] > 0 and values[-1] >= SWEEP_LOG_RATIO * values[0]:
        layout["xaxis"] |= {"type": "log"}
    layout["showlegend"] = len(lines) > 1
    return go.Figure(
        [_line(line, number, x_label, y_label) for number, line in enumerate(lines)], layout
    )


def _line(line: SweepLine, number: int, x_label: str, y_label: str) -> go.Scatter:
    color = theme.CATEGORICAL[number % len(theme.CATEGORICAL)]
    dash = DASHES[number % len(DASHES)]
    spread: dict[str, Any] = {}
    scores = np.array(line.scores, np.float32)  # no axis zooms into rounding
    if line.lows and line.highs:
        above = np.array(line.highs, np.float32) - scores
        below = scores - np.array(line.lows, np.float32)
        spread = {
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": above,
                "arrayminus": below,
                "thickness": 1.2,
                "width": 4,
            }
        }
    return go.Scatter(
        x=line.values,
        y=scores,
        name=theme.escaped(line.name),
        mode="lines+markers",
        line={"color": color, "width": 2, "dash": dash},
        marker={"size": 8, "symbol": SYMBOLS[number % len(SYMBOLS)]},
        hovertemplate=(
            f"{theme.escaped(x_label)} %{{x:g}}<br>{theme.escaped(y_label)} %{{y:.4g}}"
            f"<extra>{theme.escaped(line.name)}</extra>"
        ),
        **spread,
    )


def sentence_scores(
    x: Sequence[float],
    y: Sequence[float],
    texts: Sequence[str],
    *,
    title: str,
    x_label: str,
    y_label: str,
) -> go.Figure:
    """A plot, one point per sentence, at most MOST_POINTS; `texts` are shown on hover, with the sentence's number."""
    if not len(x):
        return theme.empty("No sentence has both scores.")
    n = min(len(x), MOST_POINTS)
    shown = [i * len(x) // n for i in range(n)]
    names = [f"{i + 1:,}: {theme.escaped(theme.shortened(texts[i], MAX_TEXT))}" for i in shown]
    dots = go.Scatter(
        x=np.array([x[i] for i in shown], np.float32).tolist(),  # no axis zooms into rounding
        y=np.array([y[i] for i in shown], np.float32).tolist(),
        mode="markers",
        customdata=names,
        marker={"size": 7, "color": theme.CATEGORICAL[0], "opacity": 0.5},
        hovertemplate="%{customdata}<br>%{x:.4g}, %{y:.4g}<extra></extra>",
        showlegend=False,
    )
    layout = theme.layout(title, 380, x_label, y_label)
    layout["xaxis"] |= {"rangemode": "normal"}
    layout["yaxis"] |= {"rangemode": "normal"}
    return go.Figure([dots], layout)
