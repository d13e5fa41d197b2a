"""The most frequent words."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from s2s.plots import theme

ROW = 18  # pixels per word


def word_frequencies(counts: Sequence[tuple[str, int]], *, title: str) -> go.Figure:
    if not counts:
        return theme.empty("There are no words to count.")
    names = [theme.escaped(word) for word, _ in counts]
    positions = list(range(len(counts)))
    bars = go.Bar(
        x=[n for _, n in counts],
        y=positions,
        orientation="h",
        marker={"color": theme.CATEGORICAL[0]},
        customdata=names,
        hovertemplate="%{customdata}: %{x:,} occurrences<extra></extra>",
    )
    layout = theme.layout(title, 90 + ROW * len(counts), "occurrences", "")
    shown = [theme.escaped(theme.shortened(word)) for word, _ in counts]
    ticks = {"tickmode": "array", "tickvals": positions, "ticktext": shown, "automargin": True}
    layout["yaxis"] |= {"range": [len(counts) - 0.5, -0.5], "rangemode": "normal", **ticks}
    return go.Figure([bars], layout | {"bargap": 0.2})
