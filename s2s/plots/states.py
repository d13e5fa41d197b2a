"""States as points on a page: one layer large, or every layer small."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.colors import sample_colorscale

from s2s.plots import theme
from s2s.plots.attention import csv_cell

Floats = npt.NDArray[np.float64]
COLORINGS = ("word", "position", "sentence")
SYMBOLS = (
    "circle",
    "square",
    "diamond",
    "triangle-up",
    "cross",
    "star",
    "triangle-down",
    "pentagon",
)
COLORS = theme.CATEGORICAL[:-1]  # a thin yellow line is not seen on white
SHADES = tuple(
    sample_colorscale(theme.SEQUENTIAL, [0.3, 0.475, 0.65, 0.825, 1.0])
)  # the darkest are not seen on black
NAMED = 40  # points up to which each has its token beside it; in a small picture, fewer
FEW = 16
GAP = 0.28  # of the height of one, between two
HEIGHT = 500
SMALL_HEIGHT = 300
ACROSS = 2  # small pictures side by side
ROOM = 0.16  # around the points, of the largest number


class StatePoint(NamedTuple):
    """One state: its token as it is written beside it, the word that it counts as, and where it is from."""

    label: str
    word: str
    text: int  # 0 or 1: which of the sentences
    position: int  # from 1
    about: str  # what hover says


class StateLayer(NamedTuple):
    """One layer's (n, 2) places, the shares of variance of the two axes, and its name."""

    places: Floats
    shares: tuple[float, float]
    name: str


def states(
    layers: Sequence[StateLayer], points: Sequence[StatePoint], *, color: str, title: str
) -> go.Figure:
    """A point a state, by a row of `COLORINGS`; the second sentence's are open. Of several layers each has axes of its own."""
    if not points:
        return theme.empty("There are no states to show.")
    if color not in COLORINGS:
        raise ValueError(f"states are not colored by `{color}`, but by {', '.join(COLORINGS)}")
    is_one = len(layers) == 1
    across = min(ACROSS, len(layers))
    down = -(-len(layers) // across)
    figure = go.Figure()
    if not is_one:
        figure.set_subplots(
            down,
            across,
            subplot_titles=[layer.name for layer in layers],
            vertical_spacing=GAP / down,
        )
    for number, layer in enumerate(layers):
        figure.add_traces(_layer(layer, points, color, number, is_one=is_one))
        figure.update_layout(_axes(layer, number, is_one=is_one))
    height = HEIGHT if is_one else 140 + down * SMALL_HEIGHT
    margin = {"l": 56, "r": 12, "t": 124 if is_one else 150, "b": 8}
    legend = {
        "orientation": "h",
        "y": 1 if is_one else 1 + 40 / height,
        "yanchor": "bottom",
        "x": 0,
    }
    return figure.update_layout(
        title=theme.heading(title), height=height, margin=margin, legend=legend, dragmode=False
    )


def _layer(
    layer: StateLayer, points: Sequence[StatePoint], color: str, number: int, *, is_one: bool
) -> list[go.Scatter]:
    """The points of each sentence, and dotted lines between words that both have."""
    axes = {"xaxis": f"x{number + 1}", "yaxis": f"y{number + 1}"}
    has_names = len(points) <= (NAMED if is_one else FEW)
    traces = [_ties(layer.places, points, axes)] if color == "word" else []
    for text in sorted({point.text for point in points}):
        chosen = [place for place, point in enumerate(points) if point.text == text]
        traces.append(
            go.Scatter(
                x=layer.places[chosen, 0],
                y=layer.places[chosen, 1],
                mode="markers+text" if has_names else "markers",
                text=[
                    theme.escaped(
                        theme.shortened(points[place].label if is_one else points[place].word)
                    )
                    for place in chosen
                ],
                textposition="top center",
                marker=_markers(points, chosen, color, has_scale=number == 0 and text == 0),
                name=f"sentence {text + 1}{' (open)' if text else ''}",
                legendgroup=str(text),
                showlegend=number == 0,
                customdata=[
                    theme.escaped(points[place].about).replace("\n", "<br>") for place in chosen
                ],
                hovertemplate="%{customdata}<extra></extra>",
                cliponaxis=False,
                **axes,
            )
        )
    return traces


def _markers(
    points: Sequence[StatePoint], chosen: Sequence[int], color: str, *, has_scale: bool
) -> dict[str, Any]:
    """Shapes say the same as colors, as far as there are shapes."""
    words = list(dict.fromkeys(point.word for point in points))
    kinds = [
        words.index(points[place].word) if color == "word" else points[place].text
        for place in chosen
    ]
    hollow = ["-open" if points[place].text else "" for place in chosen]
    look: dict[str, Any] = {"size": 12, "line": {"width": 2, "color": "gray"}}
    look["symbol"] = [
        SYMBOLS[kind % len(SYMBOLS)] + end for kind, end in zip(kinds, hollow, strict=True)
    ]
    if color != "position":
        return look | {"color": [COLORS[kind % len(COLORS)] for kind in kinds]}
    scale = {"colorscale": SHADES, "cmin": 1, "cmax": max(point.position for point in points)}
    bar = {"thickness": 10, "title": {"text": "position", "side": "right"}}
    return (
        look
        | scale
        | {
            "color": [points[place].position for place in chosen],
            "showscale": has_scale,
            "colorbar": bar,
        }
    )


def _ties(places: Floats, points: Sequence[StatePoint], axes: dict[str, str]) -> go.Scatter:
    x: list[float | None] = []
    y: list[float | None] = []
    for one, first in enumerate(points):
        for other, second in enumerate(points):
            if first.text < second.text and first.word == second.word:
                x += [float(places[one, 0]), float(places[other, 0]), None]
                y += [float(places[one, 1]), float(places[other, 1]), None]
    line = {"dash": "dot", "width": 1, "color": "gray"}
    return go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False, **axes)


def _axes(layer: StateLayer, number: int, *, is_one: bool) -> dict[str, Any]:
    """Wide enough for the tokens beside the points; the names carry the shares."""
    place = "" if number == 0 else str(number + 1)
    titles = [
        f"{'component ' if is_one else ''}{axis + 1} · {share:.0%}"
        for axis, share in enumerate(layer.shares)
    ]
    look = {"zeroline": False, "fixedrange": True, "showticklabels": is_one}
    room = ROOM * np.abs(layer.places).max(0) + 1e-9
    spread = np.stack([layer.places.min(0) - room, layer.places.max(0) + room], 1)  # (axes, ends)
    across, up = (
        look | {"title": {"text": text, "standoff": 6}, "range": [*ends]}
        for text, ends in zip(titles, spread, strict=True)
    )
    return {f"xaxis{place}": across, f"yaxis{place}": up}


def states_csv(layers: Sequence[StateLayer], points: Sequence[StatePoint]) -> str:
    """One line a state and layer, as CSV."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(
        [
            "layer",
            "sentence",
            "position",
            "token",
            "component_1",
            "component_2",
            "share_1",
            "share_2",
        ]
    )
    for layer in layers:
        for point, (x, y) in zip(points, layer.places, strict=True):
            numbers = [f"{value:.6f}" for value in (x, y, *layer.shares)]
            table.writerow(
                [layer.name, point.text + 1, point.position, csv_cell(point.label), *numbers]
            )
    return out.getvalue()
