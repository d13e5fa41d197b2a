"""A matrix of signed numbers, tokens on its axes, in the layout of a heatmap of attention."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
import plotly.graph_objects as go

from s2s.analysis import Floats
from s2s.plots import theme
from s2s.plots.attention import geometry
from s2s.plots.tensor import tensor, tensor_hover

SMALLEST = 0.005  # the cells show two decimals, and a minus before a zero would puzzle
MOST_LABELS = 16  # of columns, on a phone; hover names each


def signed_map(
    values: Floats, rows: Sequence[str], columns: Sequence[str], *, title: str
) -> go.Figure:
    """`values` is (rows, columns): 0 is dark, negative blue, positive yellow; what rounds to 0 is drawn as 0."""
    drawn = np.where(np.abs(values) < SMALLEST, 0, values).astype(np.float32)
    figure = tensor(drawn, rows, columns, title=title, x_label="")
    if not drawn.size:
        return figure
    room = geometry(columns, rows)
    height = room.top + len(rows) * room.row + figure.layout.margin.b
    figure.update_layout(margin_l=room.left, margin_t=room.top, height=height)
    step = ceil(len(columns) / MOST_LABELS)
    if step > 1:
        names = np.array([theme.escaped(name) for name in columns], dtype=object)
        figure.data[0].customdata = np.broadcast_to(names, drawn.shape)
        figure.data[0].hovertemplate = tensor_hover("%{customdata}")
        axis = figure.layout.xaxis
        labels = {"tickvals": axis.tickvals[::step], "ticktext": axis.ticktext[::step]}
        figure.update_xaxes(tickangle=-90, **labels)
    return figure
