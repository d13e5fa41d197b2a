"""Arrays and labels in, `go.Figure` out. Knows nothing of models or screens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import plotly.graph_objects as go

from s2s.plots.attention import cell, heatmap, numbers
from s2s.plots.coverage import coverage
from s2s.plots.curves import curves
from s2s.plots.growth import growth
from s2s.plots.lengths import lengths
from s2s.plots.pieces import pieces
from s2s.plots.ratio import ratio
from s2s.plots.still import still
from s2s.plots.words import words


class Plot(NamedTuple):
    """One row of the registry: what draws it, and one sentence that says how to read it."""

    draw: Callable[..., go.Figure]
    reading: str


PLOTS: Mapping[str, Plot] = MappingProxyType(
    {
        "attention": Plot(heatmap, "Each row is one word being written; its cells, which sum to 1, say where the model looks for it."),
        "curves": Plot(curves, "Lower is better. Where validation turns up while training goes down, the model learns by heart."),
        "lengths": Plot(lengths, "How many texts have so many words. Where the shapes differ, one side says the same with more of them."),
        "pieces": Plot(pieces, "More pieces make shorter texts and a larger model; where a line turns flat, more of them bring little."),
        "ratio": Plot(ratio, "A narrow hill is a faithful translation; pairs far from it, left or right, are worth a look."),
        "growth": Plot(growth, "The steeper the line still is on the right, the more new words the next texts will bring."),
        "words": Plot(words, "A few words make up most of any text; a word here that does not belong is worth a look."),
        "coverage": Plot(coverage, "What is missing to 100 % are words that the model has not met so often before it is tested on them."),
    }
)

__all__ = [
    "PLOTS",
    "Plot",
    "cell",
    "coverage",
    "curves",
    "growth",
    "heatmap",
    "lengths",
    "numbers",
    "pieces",
    "ratio",
    "still",
    "words",
]
