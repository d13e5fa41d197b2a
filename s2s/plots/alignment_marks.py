"""Links drawn over a heatmap of attention: a frame for each that was found, a diamond for each that is known to be right."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

FRAME = (("#000000", 5), ("#ffffff", 2))  # black around white is seen on every color of the scale
INSET = 0.05  # of a cell
CORNER = 0.34  # from the middle of a cell, where its number stands
Links = Collection[tuple[int, int]]


def mark_alignment(figure: go.Figure, links: Links, known: Links) -> go.Figure:
    """The figure of `heatmap`, with (column, row) links; hovering says which is which."""
    cells = next((trace for trace in figure.data if isinstance(trace, go.Heatmap)), None)
    if cells is None:
        return figure
    cells.customdata = _said(np.array(cells.customdata, dtype=object), links, known)
    figure.add_traces(_diamonds(known))
    figure.update_layout(
        shapes=[_frame(link, color, width) for color, width in FRAME for link in sorted(links)]
    )
    return figure


def _said(said: npt.NDArray[np.object_], links: Links, known: Links) -> npt.NDArray[np.object_]:
    for column, row in links:
        said[row, column] += ", <b>linked</b>"
    for column, row in known:
        said[row, column] += ", known to be right"
    return said


def _frame(link: tuple[int, int], color: str, width: int) -> dict[str, object]:
    column, row = link
    reach = 0.5 - INSET
    edges = {"x0": column - reach, "x1": column + reach, "y0": row - reach, "y1": row + reach}
    return {
        "type": "rect",
        "xref": "x",
        "yref": "y",
        **edges,
        "line": {"color": color, "width": width},
        "layer": "above",
    }


def _diamonds(known: Links) -> go.Scatter:
    columns, rows = zip(*sorted(known), strict=True) if known else ((), ())
    return go.Scatter(
        x=[column + CORNER for column in columns],
        y=[row - CORNER for row in rows],
        mode="markers",
        marker={
            "symbol": "diamond",
            "size": 8,
            "color": "#ffffff",
            "line": {"color": "#000000", "width": 2},
        },
        hoverinfo="skip",
        cliponaxis=False,
    )
