"""Sentence length in tokens by vocabulary size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from s2s.plots import theme

SYMBOLS = ("circle", "diamond", "square", "cross", "x", "triangle-up", "star")


def vocabulary_size(kinds: Mapping[str, Sequence[tuple[int, float]]], *, title: str) -> go.Figure:
    """For each tokenizer, (vocabulary size, median tokens per sentence) from small to large; sizes on a log scale."""
    if not any(kinds.values()):
        return theme.empty("No tokenizer has been measured.")
    lines = [_line(name, points, number) for number, (name, points) in enumerate(kinds.items())]
    layout = theme.layout(title, 300, "vocabulary size", "tokens per sentence (median)")
    sizes = [size for points in kinds.values() for size, _ in points if size > 0]
    layout["xaxis"] |= theme.log_axis(min(sizes, default=1), max(sizes, default=1))
    return go.Figure(lines, layout)


def _line(name: str, points: Sequence[tuple[int, float]], number: int) -> go.Scatter:
    color = theme.CATEGORICAL[number % len(theme.CATEGORICAL)]
    style: dict[str, Any] = {
        "line": {"color": color, "width": 2},
        "marker": {"size": 10, "symbol": SYMBOLS[number % len(SYMBOLS)]},
    }
    hover = f"{theme.escaped(name)}: vocabulary size %{{x:,}}, %{{y:g}} tokens<extra></extra>"
    sizes = [size for size, _ in points]
    tokens = [n for _, n in points]
    return go.Scatter(
        x=sizes,
        y=tokens,
        name=theme.escaped(name),
        mode="lines+markers",
        hovertemplate=hover,
        **style,
    )
