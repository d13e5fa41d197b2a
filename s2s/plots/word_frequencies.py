"""Which words stand most often."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from s2s.plots import theme

ROW = 18  # pixels a word


def word_frequencies(counts: Sequence[tuple[str, int]], *, title: str) -> go.Figure:
    """One bar a word, the most frequent on top."""
    if not counts:
        return theme.empty("There are no words to count.")
    names = [theme.escaped(word) for word, _ in counts]
    places = list(range(len(counts)))
    bars = go.Bar(
        x=[n for _, n in counts],
        y=places,
        orientation="h",
        marker={"color": theme.CATEGORICAL[0]},
        customdata=names,
        hovertemplate="%{customdata}: %{x:,} times<extra></extra>",
    )
    layout = theme.layout(title, 90 + ROW * len(counts), "times", "")
    shown = [theme.escaped(theme.shortened(word)) for word, _ in counts]
    ticks = {"tickmode": "array", "tickvals": places, "ticktext": shown, "automargin": True}
    layout["yaxis"] |= {"range": [len(counts) - 0.5, -0.5], "rangemode": "normal", **ticks}
    return go.Figure([bars], layout | {"bargap": 0.2})
