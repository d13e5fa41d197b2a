"""All heads of a model, layers down and heads across: one cell per head, with a word in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.animation import CONTROLS, buttons, slider
from s2s.plots.grids import StackedGrid, Traces, Values, cells, grid_axis, hovering, stacked

MOST_WRITTEN = 8  # heads per layer up to which cells hold whole words and numbers
INITIALS = 2  # letters of a word in narrower cells
CELL = 44  # pixels, of a cell's height
NARROW_CELL = 26
GAP = 56  # pixels between two grids: ticks and a title
TITLE = 66  # pixels above the first grid, with a title of one line
LINE = 18  # pixels more per further line
BELOW = 44  # pixels from the lowest grid to the buttons of an animation: its axis
HOW_TO_READ = (
    "One cell per head: its role over the sample, and how strong it is. The brighter, the stronger."
)
NOTHING = "There are no heads to show yet."


class HeadGrid(NamedTuple):
    """The cells of all heads of one kind of attention; everything by layer and head."""

    name: str
    words: Sequence[Sequence[str]]
    values: Values  # (layers, heads), from 0 to 1
    hovers: Sequence[Sequence[str]]


def head_roles(grids: Sequence[HeadGrid], *, title: str, scale: str = "strength") -> go.Figure:
    """A figure of all heads, a grid per kind below each other; a brighter cell has a higher value. Cells hold their
    word and value, and its first two letters where a layer has more than MOST_WRITTEN heads; without words, the value.
    `scale` names the values.
    """
    if not grids or not grids[0].values.size:
        return theme.empty(NOTHING)
    rows = [
        StackedGrid(
            grid.name,
            _height(grid),
            _traces(grid),
            grid_axis("head" if grid is grids[-1] else "", grid.values.shape[1]),
            grid_axis("layer", grid.values.shape[0]),
        )
        for grid in grids
    ]
    total = sum(row.height for row in rows) + GAP * len(rows)
    bar = {"title": {"text": scale}, "thickness": 10, "tickformat": ".0%", "len": 0.5}
    is_wide = all(grid.values.shape[1] <= MOST_WRITTEN for grid in grids)  # and says its values
    top = TITLE + LINE * title.count("\n")
    colors = {"colorscale": theme.SEQUENTIAL, "cmin": 0, "cmax": 1, "colorbar": bar}
    layout = {
        "title": theme.heading(title),
        "height": total + top,
        "margin": {"l": 48, "r": 12, "t": top, "b": 44},
        "coloraxis": colors | {"showscale": not is_wide},
    }
    return stacked(rows, GAP / total, layout)


def head_roles_animation(pictures: Mapping[int, Sequence[HeadGrid]], *, title: str) -> go.Figure:
    """An animation of `head_roles` by step, with a slider and buttons to play and pause; the title names the step."""
    if not pictures:
        return theme.empty(NOTHING)
    figure = head_roles(next(iter(pictures.values())), title=title)
    figure.frames = [
        go.Frame(
            name=str(step),
            data=[trace for grid in grids for trace in _traces(grid)],
            traces=[*range(2 * len(grids))],
            layout={
                "title": {"text": f"<b>{theme.heading(f'{title} · step {step:,}')['text']}</b>"}
            },
        )
        for step, grids in pictures.items()
    ]
    first = next(iter(pictures))
    return figure.update_layout(
        title=theme.heading(f"{title} · step {first:,}"),
        height=figure.layout.height + CONTROLS + BELOW,
        margin={"b": figure.layout.margin.b + CONTROLS},
        sliders=[slider([*pictures]) | {"pad": {"t": BELOW + 48, "b": 8}}],
        updatemenus=[buttons() | {"pad": {"t": BELOW}}],
    )


def _height(grid: HeadGrid) -> int:
    n_layers, n_heads = map(int, grid.values.shape)
    return n_layers * (CELL if n_heads <= MOST_WRITTEN else NARROW_CELL)


def _traces(grid: HeadGrid) -> Traces:
    values = np.asarray(grid.values, np.float32)
    is_wide = values.shape[1] <= MOST_WRITTEN
    words = [
        _word(word, float(values[at]), is_wide=is_wide)
        for at, word in np.ndenumerate(np.array(grid.words, dtype=object))
    ]
    return cells(values, words, values, **hovering(grid.hovers))


def _word(word: str, value: float, *, is_wide: bool) -> str:
    if not is_wide:
        return theme.escaped(word[:INITIALS]) or f"{100 * value:.0f}"
    return "<br>".join(
        filter(None, [theme.escaped(word), f"{value:.0%}" if value or not word else ""])
    )
