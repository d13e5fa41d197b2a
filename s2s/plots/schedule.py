"""The learning-rate schedule of a run."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from s2s.plots import theme

MARK = {"color": "#888888", "width": 1, "dash": "dot"}
ABOVE = {"y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False, "font": {"size": 12}}


def schedule(steps: ArrayLike, rates: ArrayLike, *, warmup: int, title: str) -> go.Figure:
    """The learning rate up to the last step; dotted lines mark the end of the warmup (in steps) and of the run."""
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
