"""How long texts become with how many pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from s2s.plots import theme

SYMBOLS = ("circle", "diamond", "square", "cross", "x", "triangle-up", "star")


def vocabulary_size(kinds: Mapping[str, Sequence[tuple[int, float]]], *, title: str) -> go.Figure:
    """For each kind of tokenizer (pieces in its vocabulary, median tokens of a text), from small to large; sizes on a logarithmic scale."""
    if not any(kinds.values()):
        return theme.empty("No tokenizer has been measured.")
    lines = [_line(name, points, place) for place, (name, points) in enumerate(kinds.items())]
    layout = theme.layout(title, 300, "pieces in the vocabulary", "tokens in a text (median)")
    layout["xaxis"] |= {"type": "log", "rangemode": "normal", "dtick": 1}
    return go.Figure(lines, layout)


def _line(name: str, points: Sequence[tuple[int, float]], place: int) -> go.Scatter:
    color = theme.CATEGORICAL[place % len(theme.CATEGORICAL)]
    style: dict[str, Any] = {
        "line": {"color": color, "width": 2},
        "marker": {"size": 10, "symbol": SYMBOLS[place % len(SYMBOLS)]},
    }
    said = f"{theme.escaped(name)}: %{{x:,}} pieces, %{{y:g}} tokens<extra></extra>"
    sizes = [size for size, _ in points]
    tokens = [n for _, n in points]
    return go.Scatter(
        x=sizes,
        y=tokens,
        name=theme.escaped(name),
        mode="lines+markers",
        hovertemplate=said,
        **style,
    )
