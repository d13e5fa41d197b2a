"""A score by the values of one setting: the curse of many beams, if there is one, is a line that falls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.tradeoff import SYMBOLS

DECADE = 8.0  # from so many times the least on, values are set out by their logarithm
DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True)
class SweepLine:
    """One line: values of the setting, the score at each, and its interval where it is known."""

    name: str
    values: tuple[float, ...]
    scores: tuple[float, ...]
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()


def sweep_curve(lines: Sequence[SweepLine], *, title: str, across: str, up: str) -> go.Figure:
    """A line a run, with an interval at each value."""
    if not any(line.values for line in lines):
        return theme.empty("No setting was swept here.")
    layout = theme.layout(title, 340, across, up)
    layout["yaxis"] |= {"rangemode": "normal"}
    values = sorted({value for line in lines for value in line.values})
    layout["xaxis"] |= {
        "rangemode": "normal",
        "tickmode": "array",
        "tickvals": values,
        "ticktext": [f"{value:g}" for value in values],
    }
    if values[0] > 0 and values[-1] >= DECADE * values[0]:
        layout["xaxis"] |= {"type": "log"}
    layout["showlegend"] = len(lines) > 1
    return go.Figure([_line(line, place, across, up) for place, line in enumerate(lines)], layout)


def _line(line: SweepLine, place: int, across: str, up: str) -> go.Scatter:
    color = theme.CATEGORICAL[place % len(theme.CATEGORICAL)]
    dash = DASHES[place % len(DASHES)]
    spread: dict[str, Any] = {}
    if line.lows and line.highs:
        above = [high - score for high, score in zip(line.highs, line.scores, strict=True)]
        below = [score - low for low, score in zip(line.lows, line.scores, strict=True)]
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
        y=line.scores,
        name=theme.escaped(line.name),
        mode="lines+markers",
        line={"color": color, "width": 2, "dash": dash},
        marker={"size": 8, "symbol": SYMBOLS[place % len(SYMBOLS)]},
        hovertemplate=f"{theme.escaped(across)} %{{x:g}}<br>{theme.escaped(up)} %{{y:.4g}}<extra>{theme.escaped(line.name)}</extra>",
        **spread,
    )
