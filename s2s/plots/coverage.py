"""How much of the validation text is made of words that the training text has."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from s2s.plots import theme

Row = tuple[
    int, float, float
]  # in the training text at least so often: share of the running words, and of the different ones


def coverage(src: Sequence[Row], tgt: Sequence[Row], *, title: str) -> go.Figure:
    """Shares from 0 to 1. Full bars count running words, hatched ones different words; the target's are outlined."""
    if not src and not tgt:
        return theme.empty("There are no words to validate on.")
    bars = [
        _bars(f"{side}, {counted}", [(row[0], row[place]) for row in rows], color, hatch)
        for place, counted, hatch in ((1, "running words", ""), (2, "different words", "/"))
        for side, rows, color in (
            ("source", src, theme.CATEGORICAL[0]),
            ("target", tgt, theme.CATEGORICAL[1]),
        )
    ]
    layout = theme.layout(
        title, 340, "times a word stands in the training text", "share of validation words"
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
