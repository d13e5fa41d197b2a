"""How many words of the validation set occur in the training set."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from s2s.plots import theme

# minimum count in the training set, share of word tokens, share of distinct words
CoverageRow = tuple[int, float, float]


def coverage(src: Sequence[CoverageRow], tgt: Sequence[CoverageRow], *, title: str) -> go.Figure:
    """Shares from 0 to 1. Solid bars count word tokens, hatched ones distinct words; the target's are outlined."""
    if not src and not tgt:
        return theme.empty("The validation set has no words.")
    bars = [
        _bars(f"{side}, {counted}", [(row[0], row[column]) for row in rows], color, hatch)
        for column, counted, hatch in ((1, "word tokens", ""), (2, "distinct words", "/"))
        for side, rows, color in (
            ("source", src, theme.CATEGORICAL[0]),
            ("target", tgt, theme.CATEGORICAL[1]),
        )
    ]
    layout = theme.layout(
        title, 340, "times a word occurs in the training set", "share of validation words"
    )
    layout["yaxis"] |= {"range": [0, 1], "tickformat": ".0%"}
    layout["xaxis"] |= {"type": "category"}
    layout["legend"] |= {"y": -0.35}
    return go.Figure(bars, layout | {"barmode": "group"})


def _bars(name: str, shares: Sequence[tuple[int, float]], color: str, hatch: str) -> go.Bar:
    outlined = {"color": "#000000", "width": 1.5 if name.startswith("target") else 0}
    return go.Bar(
        x=[f"{least} or more" for least, _ in shares],
        y=[share for _, share in shares],
        name=name,
        marker={
            "color": color,
            "pattern": {"shape": hatch, "fgcolor": "#000000", "fillmode": "overlay"},
            "line": outlined,
        },
        hovertemplate="%{x}: %{y:.1%}",
    )
