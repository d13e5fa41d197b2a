"""Two scores of the same sentences against each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from s2s.plots import theme

MOST_POINTS = 2000  # drawn, evenly spread: more cover each other, and the page has to load them
MAX_TEXT = 60  # characters of a sentence in the hover text


def sentence_scores(
    x: Sequence[float],
    y: Sequence[float],
    texts: Sequence[str],
    *,
    title: str,
    x_label: str,
    y_label: str,
) -> go.Figure:
    """One point per sentence, at most MOST_POINTS of them; `texts` are shown on hover, with the sentence's number."""
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
