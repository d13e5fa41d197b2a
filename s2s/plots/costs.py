"""What something costs as one thing grows, term by term."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from s2s.plots import theme

DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
SYMBOLS = ("circle", "diamond", "square", "cross", "triangle-up")


def costs(
    values: Sequence[float],
    terms: Mapping[str, Sequence[float]],
    *,
    title: str,
    across: str,
    up: str,
    now: float | None = None,
) -> go.Figure:
    """Each term at each value, on logarithmic scales: twice as steep a line grows with the square. `now`: the value that is chosen."""
    if not len(values) or not any(max(term) > 0 for term in terms.values()):
        return theme.empty("There is nothing that grows here.")
    layout = theme.layout(title, 360, across, up)
    for axis in ("xaxis", "yaxis"):
        layout[axis] |= {"type": "log", "rangemode": "normal", "exponentformat": "SI"}
    layout["xaxis"] |= {
        "tickvals": list(values),
        "ticktext": [f"{value:,}" for value in values],
        "tickangle": -45,
    }
    layout["margin"] |= {"l": 64}
    layout["legend"] |= {"y": -0.42}
    if now:
        mark = {
            "x0": now,
            "x1": now,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "line": {"dash": "dot", "width": 1.5, "color": "gray"},
        }
        layout["shapes"] = [{"type": "line", **mark}]
        layout["annotations"] = [
            {
                "x": np.log10(now),
                "y": 1,
                "yref": "paper",
                "yanchor": "bottom",
                "text": "now",
                "showarrow": False,
            }
        ]
    return go.Figure(
        [_line(name, values, term, place) for place, (name, term) in enumerate(terms.items())],
        layout,
    )


def _line(name: str, values: Sequence[float], term: Sequence[float], place: int) -> go.Scatter:
    look: dict[str, Any] = {
        "line": {"color": theme.CATEGORICAL[place % 7], "width": 2.5, "dash": DASHES[place % 5]},
        "marker": {"size": 7, "symbol": SYMBOLS[place % 5]},
    }
    known = np.array(
        [amount if amount > 0 else np.nan for amount in term]
    )  # nought has no place on a logarithmic scale
    said = f"%{{x:,}}: %{{y:.3s}}<extra>{theme.escaped(name)}</extra>"
    return go.Scatter(
        x=np.array(values),
        y=known,
        name=theme.escaped(name),
        mode="lines+markers",
        hovertemplate=said,
        **look,
    )
