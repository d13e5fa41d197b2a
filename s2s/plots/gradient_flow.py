"""How much of the loss's gradient reaches each layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from s2s.plots import theme

PATTERNS = ("", "/")


def gradient_flow(
    places: Sequence[str], lengths: Mapping[str, Sequence[float]], *, title: str
) -> go.Figure:
    """Bars side by side at each place, one for each of at most two ways in `lengths`, each way's last being 1, on a logarithmic scale."""
    if not places:
        return theme.empty("There are no layers to show.")
    bars = [
        go.Bar(
            x=[*range(len(places))],
            y=[*values],
            name=name,
            marker={"color": theme.CATEGORICAL[at], "pattern": {"shape": PATTERNS[at]}},
            customdata=[*places],
            hovertemplate=f"%{{customdata}}, {name}: %{{y:.3g}}<extra></extra>",
        )
        for at, (name, values) in enumerate(lengths.items())
    ]
    layout = theme.layout(title, 380, "", "length of the gradient (1: as at the end)")
    seen = [value for values in lengths.values() for value in values if value > 0]
    is_short = max(seen, default=1) < 1000 * min(
        seen, default=1
    )  # then 2 and 5 are named beside the powers of ten
    layout["yaxis"] |= {
        "type": "log",
        "rangemode": "normal",
        "exponentformat": "power",
        "dtick": "D2" if is_short else None,
    }
    ticks = {
        "tickmode": "array",
        "tickvals": [*range(len(places))],
        "ticktext": [*places],
        "automargin": True,
        "showgrid": False,
    }
    layout["xaxis"] |= ticks | {
        "rangemode": "normal",
        "range": [-0.6, len(places) - 0.4],
        "zeroline": False,
    }
    del layout["xaxis"]["title"]
    layout["legend"] = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0}
    layout["margin"] |= {"t": 84}
    return go.Figure(bars, layout)
