"""Tokens with one value each, the largest on top."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from s2s.plots import theme
from s2s.words import fine_percent, significant

ROW = 26  # pixels


def ranked_tokens(
    bars: Sequence[tuple[str, float]],
    *,
    title: str,
    x_label: str,
    chosen: int | None = None,
    is_share: bool = False,
) -> go.Figure:
    """One bar per token, in the given order from the top; the one at index `chosen` is striped and of another color."""
    if not bars:
        return theme.empty("There are no tokens to show.")
    names = [theme.escaped(token) for token, _ in bars]
    values = [value for _, value in bars]
    written = fine_percent if is_share else significant
    is_chosen = [at == chosen for at in range(len(bars))]
    figure = go.Figure(
        go.Bar(
            x=values,
            y=[*range(len(bars))],
            orientation="h",
            text=[*map(written, values)],
            textposition="outside",
            cliponaxis=False,
            marker={
                "color": [theme.CATEGORICAL[3 if chosen else 0] for chosen in is_chosen],
                "pattern": {"shape": ["/" if chosen else "" for chosen in is_chosen]},
            },
            customdata=names,
            hovertemplate=f"%{{customdata}}: %{{x:.3{'~%' if is_share else '~g'}}}<extra></extra>",
        )
    )
    low = min(0.0, *values)
    high = max(0.0, *values)
    room = 0.18 * (high - low or 1.0)
    rows = {
        "tickmode": "array",
        "tickvals": [*range(len(bars))],
        "ticktext": [theme.escaped(theme.shortened(token)) for token, _ in bars],
    }
    return figure.update_layout(
        title=theme.heading(title),
        height=112 + ROW * len(bars),
        margin={"l": 8, "r": 8, "t": 64, "b": 48},
        xaxis={
            "title": {"text": x_label},
            "range": [low - (room if low else 0), high + room],
            "fixedrange": True,
            "nticks": 5,
            "tickformat": ".2~%" if is_share else "",
        },
        yaxis=rows
        | {
            "range": [len(bars) - 0.5, -0.5],
            "automargin": True,
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
        },
        bargap=0.25,
        dragmode=False,
    )
