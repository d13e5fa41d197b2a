"""A score by the values of one setting; a beam search curse, if there is one, is a falling line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.tradeoff import SYMBOLS

LOG_RATIO = 8.0  # from this ratio of the largest to the smallest value on, the axis is logarithmic
DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True)
class SweepLine:
    """One line: the values of the setting, the score at each, and its interval where it is known."""

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
    if values[0] > 0 and values[-1] >= LOG_RATIO * values[0]:
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
