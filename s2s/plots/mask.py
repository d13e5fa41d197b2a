"""Attention masks: which token may attend to which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.attention import ticks

ROW = 26  # pixels
MAX_MARKED = 24  # columns up to which cells have a mark
SCALE = ((0, theme.CATEGORICAL[3]), (1, theme.CATEGORICAL[5]))


def mask(
    allowed: npt.NDArray[np.bool_], keys: Sequence[str], rows: Sequence[str], *, title: str
) -> go.Figure:
    """`allowed` is (rows, keys), True = may look: a check mark in the cell, else a cross."""
    if allowed.size == 0:
        return theme.empty("There are no tokens.")
    if allowed.shape != (len(rows), len(keys)):
        raise ValueError(f"the mask is {allowed.shape}, the tokens {(len(rows), len(keys))}")
    verbs = np.where(allowed, "may attend to", "may not attend to")
    hover = [
        [
            f"{theme.escaped(row)} {verb} {theme.escaped(key)}"
            for key, verb in zip(keys, line, strict=True)
        ]
        for row, line in zip(rows, verbs, strict=True)
    ]
    marks = np.where(allowed, "✓", "✕") if len(keys) <= MAX_MARKED else np.full(allowed.shape, "")
    cells = go.Heatmap(
        z=allowed.astype(np.uint8),
        zmin=0,
        zmax=1,
        colorscale=SCALE,
        showscale=False,
        xgap=1,
        ygap=1,
        text=marks.tolist(),
        texttemplate="%{text}",
        textfont={"color": "#000000", "size": 12},
        customdata=hover,
        hovertemplate="%{customdata}<extra></extra>",
    )
    left = 32 + 7 * max(len(theme.shortened(row)) for row in rows)
    margin = {"l": left, "r": 8, "t": 112, "b": 8}
    layout = {
        "title": theme.heading(title),
        "margin": margin,
        "height": 120 + ROW * len(rows),
        "dragmode": False,
    }
    x_axis = ticks(keys) | {"side": "top", "tickangle": -55}
    return go.Figure(
        cells, layout | {"xaxis": x_axis, "yaxis": ticks(rows) | {"autorange": "reversed"}}
    )
