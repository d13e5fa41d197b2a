"""How the vocabulary grows with the dataset (Heaps' law)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from s2s.plots import theme

Growth = Sequence[tuple[int, int]]


def vocabulary_growth(src: Growth, tgt: Growth, *, title: str) -> go.Figure:
    """Distinct words by word tokens, both on logarithmic scales: a power law is a straight line."""
    if not any(n_tokens for n_tokens, _ in (*src, *tgt)):
        return theme.empty("There are no words to count.")
    styles = (("source", src, 0, "solid", "circle"), ("target", tgt, 1, "dash", "diamond"))
    lines = [
        _line(name, points, theme.CATEGORICAL[color], dash, symbol)
        for name, points, color, dash, symbol in styles
    ]
    layout = theme.layout(title, 300, "word tokens", "distinct words")
    for axis, counts in zip(("xaxis", "yaxis"), zip(*src, *tgt, strict=True), strict=True):
        seen = [count for count in counts if count]
        layout[axis] |= theme.log_axis(min(seen), max(seen))
    return go.Figure(lines, layout)


def _line(name: str, points: Growth, color: str, dash: str, symbol: str) -> go.Scatter:
    n_tokens, n_distinct = (
        np.array([point for point in points if point[0]], np.int32).reshape(-1, 2).T
    )
    style: dict[str, Any] = {
        "line": {"color": color, "width": 2, "dash": dash},
        "marker": {"size": 5, "symbol": symbol},
    }
    hover = "%{x:,} word tokens, %{y:,} distinct words"
    return go.Scatter(
        x=n_tokens, y=n_distinct, name=name, mode="lines+markers", hovertemplate=hover, **style
    )
