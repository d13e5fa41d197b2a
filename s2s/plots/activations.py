"""Activation functions over the inputs that a layer really gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.plots import theme

Array = npt.NDArray[np.float32]

DASHES = ("solid", "dash", "dot", "dashdot")


def activations(
    inputs: Array,
    outputs: Mapping[str, Array],
    counts: Sequence[int],
    edges: Sequence[float],
    *,
    title: str,
    used: str,
) -> go.Figure:
    """Curves: `outputs[name]` over `inputs`, that of `used` thick. Bars: `counts[i]` inputs from `edges[i]` on."""
    if not sum(counts):
        return theme.empty("This model has no feed-forward layer, so it has no activation.")
    shares = np.asarray(counts, np.float32) / sum(counts)
    bounds = np.asarray(edges, np.float32)
    bars = go.Bar(
        x=(bounds[:-1] + bounds[1:]) / 2,
        y=shares,
        width=np.diff(bounds),
        yaxis="y2",
        name="this layer's inputs (right axis)",
        marker={"color": "rgba(128, 128, 128, 0.35)"},
        hovertemplate="about %{x:.2f}: %{y:.1%} of the inputs<extra></extra>",
    )
    layout = theme.layout(title, 380, "input of the activation", "output")
    layout["xaxis"] |= {"rangemode": "normal", "zeroline": False}
    layout["yaxis"] |= {"rangemode": "normal", "zeroline": True}
    right = {
        "overlaying": "y",
        "side": "right",
        "tickformat": ".0%",
        "showgrid": False,
        "fixedrange": True,
        "rangemode": "tozero",
    }
    layout |= {"yaxis2": right, "bargap": 0, "margin": layout["margin"] | {"r": 44}}
    lines = [
        _line(inputs, outputs[name], name, number, used) for number, name in enumerate(outputs)
    ]
    return go.Figure([bars, *lines], layout)


def _line(inputs: Array, output: Array, name: str, number: int, used: str) -> go.Scatter:
    is_used = name == used
    return go.Scatter(
        x=np.asarray(inputs, np.float32),
        y=np.asarray(output, np.float32),
        mode="lines",
        name=f"{name} (this model's)" if is_used else name,
        line={
            "color": theme.CATEGORICAL[number],
            "width": 4 if is_used else 2,
            "dash": DASHES[number % len(DASHES)],
        },
        hovertemplate=f"{name} of %{{x:.2f}}: %{{y:.3f}}<extra></extra>",
    )
