"""Arrays and labels in, `go.Figure` out. Knows nothing of models or screens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import plotly.graph_objects as go

from s2s.plots.attention import heatmap, numbers


class Plot(NamedTuple):
    """One row of the registry: what draws it, and one sentence that says how to read it."""

    draw: Callable[..., go.Figure]
    reading: str


PLOTS: Mapping[str, Plot] = MappingProxyType(
    {
        "attention": Plot(heatmap, "Each row is one word being written; its cells, which sum to 1, say where the model looks for it."),
    }
)

__all__ = ["PLOTS", "Plot", "heatmap", "numbers"]
