"""Expected quality by training time."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from s2s.plots import theme

COLOR = theme.CATEGORICAL[2]
FILL = "rgba(0, 158, 115, 0.25)"  # the same green


def expected_quality(
    minutes: ArrayLike, low: ArrayLike, high: ArrayLike, *, title: str
) -> go.Figure:
    """The prediction interval of BLEU (0 to 100) by minutes of training; NaN where nothing was measured that early."""
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
