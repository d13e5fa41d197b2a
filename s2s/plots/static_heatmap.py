"""The heatmap as plain HTML, exactly where Plotly will draw it: visible a second before Plotly's script has loaded."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from s2s.plots import theme
from s2s.plots.attention import LEGIBLE, MAX_LEVEL, Weights, geometry

ABOVE = 33  # pixels from the tokens' line to the cells
MAX_CELLS = 900  # a larger heatmap waits for Plotly


def static_heatmap(
    weights: Weights, keys: Sequence[str], rows: Sequence[str], *, title: str
) -> str:
    """The cells, numbers and tokens of `plots.heatmap`; empty without cells, or with very many."""
    if not 0 < weights.size <= MAX_CELLS:
        return ""
    room = geometry(keys, rows)
    colors = theme.shades(weights)
    inks = theme.text_colors(weights)
    has_numbers = max(weights.shape) <= LEGIBLE
    figures = [f"{value:.2f}".removeprefix("0") if has_numbers else "" for value in weights.ravel()]
    cells = [
        f'<i style="background:{color};color:{ink}">{figure}</i>'
        for color, ink, figure in zip(colors, inks, figures, strict=True)
    ]
    width = len(keys)
    body = "".join(
        f"<b>{escape(theme.shortened(token))}</b>{''.join(cells[at * width : (at + 1) * width])}"
        for at, token in enumerate(rows)
    )
    head = "".join(
        f"<em>{escape(theme.shortened(token)) if width <= MAX_LEVEL else ''}</em>" for token in keys
    )
    lines = "<br>".join(escape(line) for line in title.split("\n"))
    columns = f"grid-template-columns:{room.left}px repeat({width},1fr)"
    grid = f"{columns};grid-template-rows:{ABOVE}px repeat({len(rows)},{room.row}px)"
    return (
        f'<div class="static-heatmap" aria-hidden="true"><p>{lines}</p>'
        f'<div style="{grid};top:{room.top - ABOVE}px;right:{theme.MARGIN["r"]}px"><b></b>{head}{body}</div></div>'
    )
