"""The ratio of target words to source words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from s2s.plots import theme

TICKS = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)


def length_ratio(
    counts: Sequence[int], edges: Sequence[float], median: float, *, title: str
) -> go.Figure:
    """`counts[i]` pairs have a ratio from `edges[i]` to `edges[i + 1]`, on a logarithmic scale; the first and the last
    count also those beyond.
    """
    if not sum(counts):
        return theme.empty("No pair has words on both sides.")
    logs = np.log2(np.asarray(edges, np.float64))
    spans = [
        f"{low:.2f} to {high:.2f} target words per source word" for low, high in pairwise(edges)
    ]
    spans[0] = f"{edges[1]:.2f} or fewer target words per source word"
    spans[-1] = f"{edges[-2]:.2f} or more target words per source word"
    bars = go.Bar(
        x=((logs[:-1] + logs[1:]) / 2).astype(np.float32),
        y=list(counts),
        width=np.diff(logs).astype(np.float32) * 0.9,
        marker={"color": theme.CATEGORICAL[0]},
        customdata=spans,
        hovertemplate="%{customdata}: %{y:,} pairs<extra></extra>",
        showlegend=False,
    )
    layout = theme.layout(
        title,
        300,
        f"target words per source word (median {median:.2f}, dashed)",
        "pairs",
    )
    shown = [tick for tick in TICKS if edges[0] <= tick <= edges[-1]]
    layout["xaxis"] |= {
        "rangemode": "normal",
        "tickmode": "array",
        "tickvals": np.log2(shown).tolist(),
        "ticktext": [*map(_tick, shown)],
    }
    figure = go.Figure([bars], layout)
    return figure.add_vline(
        float(np.log2(median)), line={"color": theme.CATEGORICAL[3], "width": 2, "dash": "dash"}
    )


def _tick(value: float) -> str:
    return f"{value:g}" if value >= 1 else f"1/{1 / value:g}"
