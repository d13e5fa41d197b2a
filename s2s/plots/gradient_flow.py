"""The size of the loss's gradient at each layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from s2s.plots import theme

PATTERNS = ("", "/")


def gradient_flow(
    layers: Sequence[str], norms: Mapping[str, Sequence[float]], *, title: str
) -> go.Figure:
    """One bar per layer for each of at most two series in `norms`, each of which ends at 1; a logarithmic scale."""
    if not layers:
        return theme.empty("There are no layers to show.")
    bars = [
        go.Bar(
            x=[*range(len(layers))],
            y=[*values],
            name=name,
            marker={"color": theme.CATEGORICAL[number], "pattern": {"shape": PATTERNS[number]}},
            customdata=[*layers],
            hovertemplate=f"%{{customdata}}, {name}: %{{y:.3g}}<extra></extra>",
        )
        for number, (name, values) in enumerate(norms.items())
    ]
    layout = theme.layout(title, 380, "", "norm of the gradient (1: as at the decoder's output)")
    positive = [value for values in norms.values() for value in values if value > 0]
    layout["yaxis"] |= theme.log_axis(min(positive, default=1), max(positive, default=1))
    ticks = {
        "tickmode": "array",
        "tickvals": [*range(len(layers))],
        "ticktext": [*layers],
        "automargin": True,
        "showgrid": False,
    }
    layout["xaxis"] |= ticks | {
        "rangemode": "normal",
        "range": [-0.6, len(layers) - 0.4],
        "zeroline": False,
    }
    del layout["xaxis"]["title"]
    layout["legend"] = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0}
    layout["margin"] |= {"t": 84}
    return go.Figure(bars, layout)
