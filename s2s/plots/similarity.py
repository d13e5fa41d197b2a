"""The cosine similarity of two hidden states after each layer, with others for comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from s2s.plots import theme

LAYER_AXIS = "layer (0: embeddings)"
DASHES = ("solid", "dash", "dashdot", "dot")
COLORS = (0, 3, 2, 4)  # of theme.CATEGORICAL
SYMBOLS = ("circle", "square-open", "diamond-open", "x-thin-open")


class CosineSeries(NamedTuple):
    """One cosine per layer, the embeddings first; NaN where there is none."""

    name: str
    cosines: Sequence[float]


def similarity(
    rows: Sequence[CosineSeries], layers: Sequence[str], *, title: str, chosen: int | None = None
) -> go.Figure:
    """One line per series, the last the baseline. `layers` are names; the layer `chosen`, if any, is marked."""
    if not rows or not layers:
        return theme.empty("There is nothing to compare.")
    layout = theme.layout(title, 430, "", "cosine (1: same direction)")
    low = min([0.0, *(value for row in rows for value in row.cosines if not math.isnan(value))])
    layout["yaxis"] |= {"range": [low - 0.08, 1.18], "rangemode": "normal", "zeroline": True}
    ticks = {
        "tickmode": "array",
        "tickvals": [*range(len(layers))],
        "showgrid": False,
        "zeroline": False,
    }
    layout["xaxis"] = {
        "title": {"text": LAYER_AXIS},
        "fixedrange": True,
        "range": [-0.2, len(layers) - 0.6],
        **ticks,
    }
    layout["margin"] |= {"t": 78 + 22 * len(rows)}
    layout["legend"] = {"y": 1, "yanchor": "bottom", "x": 0}
    # the baseline always has the last style
    kinds = [*range(len(rows) - 1), len(DASHES) - 1] if len(rows) > 1 else [0]
    figure = go.Figure(
        [_line(row, layers, kind % len(DASHES)) for row, kind in zip(rows, kinds, strict=True)],
        layout,
    )
    if chosen is None:
        return figure
    return figure.add_vline(x=chosen, line={"color": "gray", "width": 1, "dash": "dot"})


def _line(row: CosineSeries, layers: Sequence[str], kind: int) -> go.Scatter:
    is_first = kind == 0
    return go.Scatter(
        x=[*range(len(layers))],
        y=[*row.cosines],
        mode="lines+markers+text" if is_first else "lines+markers",
        text=[f"{value:.2f}".replace("-", "−") for value in row.cosines] if is_first else None,
        textposition="top right",
        name=theme.escaped(row.name),
        line={
            "dash": DASHES[kind],
            "width": 3 if is_first else 1.5,
            "color": theme.CATEGORICAL[COLORS[kind]],
        },
        marker={"symbol": SYMBOLS[kind], "size": 9, "line": {"width": 2}},
        customdata=[*layers],
        hovertemplate="%{customdata}: cosine %{y:.3f}<extra>%{fullData.name}</extra>",
    )
