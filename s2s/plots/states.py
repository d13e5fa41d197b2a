"""Hidden states as points in two dimensions: one layer, or all layers as small multiples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.colors import sample_colorscale

from s2s.plots import theme
from s2s.plots.picture import Picture
from s2s.questions import COLORINGS, MappedStates, StateLayer, StateMap, StatePoint
from s2s.words import percent

Floats = npt.NDArray[np.float64]
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
COLORS = theme.CATEGORICAL[:-1]  # thin yellow lines are invisible on white
# The darkest are invisible on black.
SHADES = tuple(sample_colorscale(theme.SEQUENTIAL, [0.3, 0.475, 0.65, 0.825, 1.0]))
MAX_LABELED = 40  # points up to which each is labeled with its token
MAX_LABELED_SMALL = 16  # in a small multiple
GAP = 0.28  # between two small multiples, of their height
HEIGHT = 500
SMALL_HEIGHT = 300
N_COLUMNS = 2  # small multiples side by side
ROOM = 0.16  # around the points, relative to the largest coordinate


def pictures(question: StateMap, answer: MappedStates, model: str) -> list[Picture]:
    layers = answer.shown(question.layer, question.layers)
    is_all = question.layers == "all"
    of = "every layer" if is_all else layers[0].name
    texts = "1 sentence" if answer.n_sentences == 1 else f"{answer.n_sentences} sentences"
    n = len(answer.points)
    last = f"PCA of {n} tokens of {texts}, by {question.color}"
    title = f"{model}\n{question.side} · {of}\n{last}"
    return [
        Picture(
            "states",
            title,
            states(layers, answer.points, color=question.color, title=title),
            f"Scatter plot: {title.replace(chr(10), ', ')}",
            question.table(answer),
            question.finding(answer),
            _caption(question, answer, layers[-1], is_all=is_all),
        )
    ]


def _caption(question: StateMap, answer: MappedStates, layer: StateLayer, *, is_all: bool) -> str:
    token = "a token read by the encoder"
    if question.side == "decoder":
        token = "a token read by the decoder, which then predicts the next one (“read → predicted”)"
    explained = f"The two axes explain {percent(sum(layer.shares))} of the variance"
    where = "in the last layer" if is_all else "here"
    one, other = ({point.word for point in answer.points if point.sentence == n} for n in (0, 1))
    is_joined = question.color == "word" and one & other
    joined = " A dotted line joins a word that both sentences have." if is_joined else ""
    second = f" Open marks are of “{question.second}”." if other and question.second else ""
    return (
        f"A state is a vector of {answer.d_model:,} numbers after a layer, for {token}. {explained} {where}; points"
        " that look close may be far apart in the other dimensions; hover over a point to see which of these"
        f" {len(answer.points)} states is most similar to it. Every layer has its own axes; their directions mean"
        f" nothing by themselves.{joined}{second}"
    )


def states(
    layers: Sequence[StateLayer], points: Sequence[StatePoint], *, color: str, title: str
) -> go.Figure:
    """A plot, a point per state, colored by one of `COLORINGS`; the second sentence's are open. Each layer has axes."""
    if not points:
        return theme.empty("There are no states to show.")
    if color not in COLORINGS:
        raise ValueError(f"states cannot be colored by `{color}`, but by {', '.join(COLORINGS)}")
    is_one = len(layers) == 1
    n_columns = min(N_COLUMNS, len(layers))
    n_rows = -(-len(layers) // n_columns)
    figure = go.Figure()
    if not is_one:
        figure.set_subplots(
            n_rows,
            n_columns,
            subplot_titles=[layer.name for layer in layers],
            vertical_spacing=GAP / n_rows,
        )
    for number, layer in enumerate(layers):
        figure.add_traces(_layer(layer, points, color, number, is_one=is_one))
        figure.update_layout(_axes(layer, number, is_one=is_one))
    height = HEIGHT if is_one else 140 + n_rows * SMALL_HEIGHT
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
    axes = {"xaxis": f"x{number + 1}", "yaxis": f"y{number + 1}"}
    has_names = len(points) <= (MAX_LABELED if is_one else MAX_LABELED_SMALL)
    traces = [_ties(layer.points, points, axes)] if color == "word" else []
    for sentence in sorted({point.sentence for point in points}):
        chosen = [at for at, point in enumerate(points) if point.sentence == sentence]
        traces.append(
            go.Scatter(
                x=layer.points[chosen, 0],
                y=layer.points[chosen, 1],
                mode="markers+text" if has_names else "markers",
                text=[
                    theme.escaped(theme.shortened(points[at].label if is_one else points[at].word))
                    for at in chosen
                ],
                textposition="top center",
                marker=_markers(points, chosen, color, has_scale=number == 0 and sentence == 0),
                name=f"sentence {sentence + 1}{' (open)' if sentence else ''}",
                legendgroup=str(sentence),
                showlegend=number == 0,
                customdata=[_hover(layer, points, at) for at in chosen],
                hovertemplate="%{customdata}<extra></extra>",
                cliponaxis=False,
                **axes,
            )
        )
    return traces


def _hover(layer: StateLayer, points: Sequence[StatePoint], at: int) -> str:
    lines = [points[at].about]
    if len(points) > 1:
        nearest = layer.nearest(at)
        lines.append(
            f"most similar: {points[nearest].about} (cosine {layer.cosines[at, nearest]:.2f})"
        )
    return "<br>".join(map(theme.escaped, lines))


def _markers(
    points: Sequence[StatePoint], chosen: Sequence[int], color: str, *, has_scale: bool
) -> dict[str, Any]:
    words = list(dict.fromkeys(point.word for point in points))
    kinds = [
        words.index(points[at].word) if color == "word" else points[at].sentence for at in chosen
    ]
    hollow = ["-open" if points[at].sentence else "" for at in chosen]
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
            "color": [points[at].position for at in chosen],
            "showscale": has_scale,
            "colorbar": bar,
        }
    )


def _ties(coordinates: Floats, points: Sequence[StatePoint], axes: dict[str, str]) -> go.Scatter:
    x: list[float | None] = []
    y: list[float | None] = []
    for one, first in enumerate(points):
        for other, second in enumerate(points):
            if first.sentence < second.sentence and first.word == second.word:
                x += [float(coordinates[one, 0]), float(coordinates[other, 0]), None]
                y += [float(coordinates[one, 1]), float(coordinates[other, 1]), None]
    line = {"dash": "dot", "width": 1, "color": "gray"}
    return go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False, **axes)


def _axes(layer: StateLayer, number: int, *, is_one: bool) -> dict[str, Any]:
    suffix = "" if number == 0 else str(number + 1)
    titles = [
        f"{'component ' if is_one else ''}{axis + 1} · {share:.0%}"
        for axis, share in enumerate(layer.shares)
    ]
    look = {"zeroline": False, "fixedrange": True, "showticklabels": is_one}
    room = ROOM * np.abs(layer.points).max(0) + 1e-9
    spread = np.stack([layer.points.min(0) - room, layer.points.max(0) + room], 1)  # (axes, ends)
    x_axis, y_axis = (
        look | {"title": {"text": text, "standoff": 6}, "range": [*ends]}
        for text, ends in zip(titles, spread, strict=True)
    )
    return {f"xaxis{suffix}": x_axis, f"yaxis{suffix}": y_axis}
