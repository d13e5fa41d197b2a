"""The map of States: every token as a point, in the two directions in which they differ most."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType

import numpy as np
import streamlit as st

from s2s import plots
from s2s.analysis import Projection, States, Vectors, principal_components, unit
from s2s.plots import COLORINGS, StateLayer, StatePoint, states_csv
from s2s.ui.kit.captions import file_name, percent
from s2s.ui.kit.charts import chart
from s2s.ui.states.request import Asked, choice, layer_name

EVERY = MappingProxyType({"one": "this layer", "all": "every layer"})
BOTH = MappingProxyType({"both": "both", "first": "the first"})
SENTENCES = MappingProxyType({1: "1 sentence", 2: "2 sentences"})


def show(asked: Asked) -> None:
    """The points, what to make of them, their numbers."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        colour = choice("colour", "Colour", {name: name for name in COLORINGS}, COLORINGS[0])
        is_both = asked.beside is not None and choice("shown", "Sentences", BOTH, "both") == "both"
        is_all = choice("layers", "Pictures of", EVERY, "one") == "all"
    given = [asked.seen, *([asked.beside] if asked.beside and is_both else [])]
    sides = [seen.side(asked.side) for seen in given]
    vectors = np.concatenate([side.vectors for side in sides], 1)  # (n_layers + 1, points, d_model)
    points = _points(given, asked.side, vectors[asked.layer])
    chosen = range(len(vectors)) if is_all else [asked.layer]
    layers = [
        _layer(principal_components(vectors[layer]), layer_name(layer, len(vectors) - 1))
        for layer in chosen
    ]
    place = f"{asked.side} · every layer" if is_all else asked.layer_name
    title = f"{asked.name}\n{place}\nPCA of {len(points)} tokens of {SENTENCES[len(given)]}, by {colour}"
    figure = plots.PLOTS["states"].draw(layers, points, color=colour, title=title)
    with st.container(key="points", gap=None):
        chart(
            figure,
            alt=f"Scatter plot: {title.replace(chr(10), ', ')}. The numbers can be downloaded below.",
            file_name=file_name(title),
        )
    st.markdown(_about(asked, layers[-1 if is_all else 0], len(points), is_all=is_all))
    make = partial(states_csv, layers, points)
    st.download_button(
        "Numbers (CSV)",
        make,
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _layer(found: Projection, name: str) -> StateLayer:
    return StateLayer(found.points, found.shares, name)


def _points(given: list[States], side: str, vectors: Vectors) -> list[StatePoint]:
    """In the order of the vectors (points, d_model), with what hover says of each at the chosen layer."""
    where = [
        (text, place)
        for text, seen in enumerate(given)
        for place in range(len(seen.side(side).tokens))
    ]
    likeness = unit(vectors) @ unit(vectors).T
    np.fill_diagonal(likeness, -np.inf)
    nearest = likeness.argmax(1) if len(where) > 1 else []
    names = [_name(given[text], side, place) for text, place in where]
    points = []
    for number, (text, place) in enumerate(where):
        about = f"{names[number]}, sentence {text + 1}, position {place + 1}"
        if len(where) > 1:
            near, near_place = where[nearest[number]]
            beside = f"{names[nearest[number]]}, sentence {near + 1}, position {near_place + 1}"
            about += f"\nmost alike: {beside} (cosine {likeness[number, nearest[number]]:.2f})"
        points.append(
            StatePoint(names[number], given[text].side(side).tokens[place], text, place + 1, about)
        )
    return points


def _name(seen: States, side: str, place: int) -> str:
    """A source token; of the decoder what it reads and what it predicts there."""
    return (
        seen.src_tokens[place]
        if side == "encoder"
        else f"{seen.tgt_inputs[place]} → {seen.tgt_tokens[place]}"
    )


def _about(asked: Asked, layer: StateLayer, n: int, *, is_all: bool) -> str:
    """What a state is, and how much of it the picture shows."""
    width = asked.seen.encoder.shape[2]
    what = (
        "read by the encoder"
        if asked.side == "encoder"
        else "read by the decoder, which is about to write the next (“read → written”)"
    )
    kept = percent(sum(layer.shares))
    holds = f"Two axes hold {kept} of all differences {'in the last layer' if is_all else 'here'}"
    return (
        f"A state is the list of {width:,} numbers that stands, after a layer, for a token {what}. {holds}; points that lie together may"
        f" still be far apart in the rest, so hover says which of these {n} states is really most alike. Every layer has axes of its own:"
        " left and up mean nothing by themselves. A dotted line ties a word that both sentences have."
    )
