"""A cost as one quantity grows, term by term, on logarithmic scales."""

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
    x_label: str,
    y_label: str,
    now: float | None = None,
) -> go.Figure:
    """A plot of a cost, a line per term: a line twice as steep grows with the square. `now`: the value to mark."""
    if not len(values) or not any(max(term) > 0 for term in terms.values()):
        return theme.empty("No term grows with this quantity.")
    layout = theme.layout(title, 360, x_label, y_label)
    for axis in ("xaxis", "yaxis"):
        layout[axis] |= {"type": "log", "rangemode": "normal"}
    above = [float(cost) for term in terms.values() for cost in term if cost > 0]
    layout["yaxis"] |= theme.log_axis(min(above), max(above))
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
        [_line(name, values, term, number) for number, (name, term) in enumerate(terms.items())],
        layout,
    )


def _line(name: str, values: Sequence[float], term: Sequence[float], number: int) -> go.Scatter:
    look: dict[str, Any] = {
        "line": {"color": theme.CATEGORICAL[number % 7], "width": 2.5, "dash": DASHES[number % 5]},
        "marker": {"size": 7, "symbol": SYMBOLS[number % 5]},
    }
    # a logarithmic scale has no 0
    drawn = np.array([cost if cost > 0 else np.nan for cost in term])
    hover = f"%{{x:,}}: %{{y:.3s}}<extra>{theme.escaped(name)}</extra>"
    return go.Scatter(
        x=np.array(values),
        y=drawn,
        name=theme.escaped(name),
        mode="lines+markers",
        hovertemplate=hover,
        **look,
    )
