"""Arrays and labels in, `go.Figure` out. Knows nothing of models or screens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import plotly.graph_objects as go

from s2s.plots.attention import cell, heatmap, numbers
from s2s.plots.curves import curves
from s2s.plots.lengths import lengths


class Plot(NamedTuple):
    """One row of the registry: what draws it, and one sentence that says how to read it."""

    draw: Callable[..., go.Figure]
    reading: str


PLOTS: Mapping[str, Plot] = MappingProxyType(
    {
        "attention": Plot(heatmap, "Each row is one word being written; its cells, which sum to 1, say where the model looks for it."),
        "curves": Plot(curves, "Lower is better. Where validation turns up while training goes down, the model learns by heart."),
        "lengths": Plot(lengths, "How many texts have so many words. Where the shapes differ, one side says the same with more of them."),
    }
)

__all__ = ["PLOTS", "Plot", "cell", "curves", "heatmap", "lengths", "numbers"]
