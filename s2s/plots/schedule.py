"""What training plans and what to expect of it: the learning rate by step, and the score by minutes."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from s2s.plots import theme

MARK = {"color": "#888888", "width": 1, "dash": "dot"}
ABOVE = {"y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False, "font": {"size": 12}}
COLOR = theme.CATEGORICAL[2]
FILL = "rgba(0, 158, 115, 0.25)"  # the same green


def schedule(steps: ArrayLike, rates: ArrayLike, *, warmup: int, title: str) -> go.Figure:
    """A plot of the learning rate by step; dotted lines mark the end of the warmup (in steps) and of the run."""
    across = np.asarray(steps, np.float32)
    up = np.asarray(rates, np.float32)
    if not across.size:
        return theme.empty("There are no steps.")
    line = go.Scatter(
        x=across,
        y=up,
        mode="lines",
        line={"color": theme.CATEGORICAL[0], "width": 2},
        hovertemplate="step %{x:,}: %{y:.3g}<extra></extra>",
    )
    marks = _marks(warmup, int(across[-1]))
    layout = theme.layout(title, 230, "step", "learning rate") | {"showlegend": False}
    layout["yaxis"] |= {"tickformat": "~g", "nticks": 5}
    layout["shapes"] = [
        {"type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "yref": "paper", "line": MARK}
        for at, _, _ in marks
    ]
    layout["annotations"] = [
        {"x": at, "text": label, "xanchor": anchor, **ABOVE} for at, label, anchor in marks
    ]
    return go.Figure(line, layout)


def _marks(warmup: int, end: int) -> list[tuple[int, str, str]]:
    if warmup >= end:
        return [(end, f"the end, step {end:,}: still in warmup", "right")]
    last = (end, f"end: {end:,}", "right")
    is_near = warmup > 0.6 * end  # their labels would overlap
    return [
        *([(warmup, f"warmup: {warmup:,}", "right" if is_near else "left")] if warmup else []),
        *([] if is_near else [last]),
    ]


def expected_quality(
    minutes: ArrayLike, low: ArrayLike, high: ArrayLike, *, title: str
) -> go.Figure:
    """A plot of BLEU's prediction interval (0 to 100) by minutes; NaN where nothing was measured that early."""
    x, bottom, top = (np.asarray(values, np.float32) for values in (minutes, low, high))
    known = np.isfinite(bottom) & np.isfinite(top)
    if not known.any():
        return theme.empty("None of our measured runs is similar to this one.")
    edge = {"color": COLOR, "width": 1.5}
    lower = go.Scatter(
        x=x[known],
        y=bottom[known],
        mode="lines",
        line=edge,
        name="low",
        hovertemplate="%{y:.0f}",
    )
    upper = go.Scatter(
        x=x[known],
        y=top[known],
        mode="lines",
        line=edge,
        name="high",
        hovertemplate="%{y:.0f}",
        fill="tonexty",
        fillcolor=FILL,
    )
    layout = theme.layout(title, 260, "minutes of training", "BLEU on held-out pairs") | {
        "hovermode": "x unified",
        "showlegend": False,
    }
    return go.Figure([lower, upper], layout)
