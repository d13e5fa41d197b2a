"""The map of States: every token as a point on the first two principal components."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from s2s import plots
from s2s.analysis import States, Vectors, principal_components, unit
from s2s.plots import COLORINGS, StateLayer, StatePoint, states_csv
from s2s.ui.kit import chart, file_name, percent
from s2s.ui.states.request import StatesRequest, layer_name
from s2s.ui.states.view_state import STATE

LAYERS = {"one": "this layer", "all": "every layer"}
SENTENCES = {"both": "both", "first": "the first"}


def show(request: StatesRequest) -> None:
    """The points, how to read them, their data."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        color = STATE.segments("color", "Color by", {name: name for name in COLORINGS})
        sentences = [request.states]
        if request.second_states and STATE.segments("shown", "Sentences", SENTENCES) == "both":
            sentences.append(request.second_states)
        is_all = STATE.segments("layers", "Maps of", LAYERS) == "all"
    vectors = np.concatenate([states.side(request.side).vectors for states in sentences], 1)
    points = _points(sentences, request.side)
    layers = [_layer(vectors, layer, points) for layer in range(len(vectors))]
    if not is_all:
        layers = [layers[request.layer]]
    title = _title(request, len(points), len(sentences), color, is_all=is_all)
    figure = plots.PLOTS["states"].draw(layers, points, color=color, title=title)
    with st.container(key="points", gap=None):
        chart(
            figure,
            alt=f"Scatter plot: {title.replace(chr(10), ', ')}. The data can be downloaded below.",
            file_name=file_name(title),
        )
    st.markdown(_explanation(request, layers[-1], points, is_all=is_all))
    st.download_button(
        "Download data (CSV)",
        partial(states_csv, layers, points),
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _layer(vectors: Vectors, layer: int, points: Sequence[StatePoint]) -> StateLayer:
    """The projection of one layer of (n_layers + 1, points, d_model)."""
    projection = principal_components(vectors[layer])
    name = layer_name(layer, len(vectors) - 1)
    return StateLayer(
        projection.points, projection.shares, name, _neighbors(vectors[layer], points)
    )


def _neighbors(vectors: Vectors, points: Sequence[StatePoint]) -> list[str]:
    """For each vector (points, d_model) the most similar other one."""
    if len(points) == 1:
        return []
    cosines = unit(vectors) @ unit(vectors).T  # (points, points)
    np.fill_diagonal(cosines, -np.inf)
    return [
        f"most similar: {points[other].about} (cosine {row[other]:.2f})"
        for row, other in zip(cosines, cosines.argmax(1), strict=True)
    ]


def _title(
    request: StatesRequest, n_points: int, n_sentences: int, color: str, *, is_all: bool
) -> str:
    layers = f"{request.side} · every layer" if is_all else request.layer_name
    sentences = "1 sentence" if n_sentences == 1 else f"{n_sentences} sentences"
    return f"{request.name}\n{layers}\nPCA of {n_points} tokens of {sentences}, by {color}"


def _points(sentences: Sequence[States], side: str) -> list[StatePoint]:
    """One point per token of each sentence."""
    points = []
    for text, states in enumerate(sentences):
        for at, word in enumerate(states.side(side).tokens):
            label = _label(states, side, at)
            name = f"{label}, sentence {text + 1}, position {at + 1}"
            points.append(StatePoint(label, word, text, at + 1, name))
    return points


def _label(states: States, side: str, position: int) -> str:
    """A source token; in the decoder what it reads and predicts there."""
    if side == "encoder":
        return states.src_tokens[position]
    return f"{states.tgt_inputs[position]} → {states.tgt_tokens[position]}"


def _explanation(
    request: StatesRequest, layer: StateLayer, points: Sequence[StatePoint], *, is_all: bool
) -> str:
    """What a state is, and how much of it the map shows."""
    width = request.states.encoder.shape[2]
    token = "a token read by the encoder"
    if request.side == "decoder":
        token = "a token read by the decoder, which then predicts the next one (“read → predicted”)"
    explained = f"The two axes explain {percent(sum(layer.shares))} of the variance"
    where = "in the last layer" if is_all else "here"
    one, other = ({point.word for point in points if point.sentence == n} for n in (0, 1))
    joined = " A dotted line joins a word that both sentences have." if one & other else ""
    return (
        f"A state is a vector of {width:,} numbers after a layer, for {token}. {explained} {where}; points that look"
        " close may be far apart in the other dimensions; hover over a point to see which of these"
        f" {len(points)} states is most similar to it. Every layer has its own axes; their directions mean nothing by"
        f" themselves.{joined}"
    )
