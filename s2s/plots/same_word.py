"""The pictures of `SameWord` and of `Neighbors`: how similar states are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.picture import Picture
from s2s.questions import (
    NearStates,
    Neighbors,
    Occurrence,
    SameWord,
    TwoOccurrences,
    layer_index,
    layer_name,
)

THESE = "Thick: the two words with each other."
ELSEWHERE = "Dashed: each with itself after the same word in other sentences, so many times."
ANY = "Dotted: any two words of different sentences."
SAME_CAPTION = (
    "A cosine of 1 means that two states point the same way, 0 that they have nothing in common; at the embeddings only"
    " the word and its position count. “Translated as”: the word of the translation that attends most to it, mean of"
    " all heads of cross-attention. A cosine cannot say which of the differences the model uses."
)
LAYER_AXIS = "layer (0: embeddings)"
DASHES = ("solid", "dash", "dashdot", "dot")
COLORS = (0, 3, 2, 4)  # of theme.CATEGORICAL
SYMBOLS = ("circle", "square-open", "diamond-open", "x-thin-open")
NEAR_CAPTION = (
    "A word's state is the mean over its tokens, a sentence's the mean over its words. At the embeddings only the word"
    " and its position count; the deeper the layer, the more a neighbor shares the context, too. Near means that this"
    " model treats them alike, not that they mean the same."
)


def pictures(question: SameWord, answer: TwoOccurrences, model: str) -> list[Picture]:
    both = dict.fromkeys(f"“{each.word}”" for each in (answer.one, answer.other))
    words = f"{' and '.join(both)} in two sentences"
    title = f"{model}\nencoder · cosine after each layer\n{words}"
    rows = [CosineSeries(name, values.tolist()) for name, values in answer.series.items()]
    values = ", ".join(f"{value:.2f}".replace("-", "−") for value in answer.cosines)
    is_layer = question.layer.isdecimal() and int(question.layer) < len(answer.layers)
    layer = int(question.layer) if is_layer else None
    return [
        Picture(
            "same word",
            title,
            similarity(rows, answer.layers, title=title, chosen=layer),
            f"Lines: {title.replace(chr(10), ', ')}; {values}",
            question.table(answer),
            question.finding(answer),
            f"{_translated(answer.one)}; {_translated(answer.other)}. {_lines(answer)} {SAME_CAPTION}",
        )
    ]


def _lines(answer: TwoOccurrences) -> str:
    has_own = any(not np.isnan(each.elsewhere).all() for each in (answer.one, answer.other))
    has_any = not np.isnan(answer.baseline).all()
    return " ".join([THESE, *([ELSEWHERE] if has_own else []), *([ANY] if has_any else [])])


def _translated(each: Occurrence) -> str:
    return f"“{each.text}” → “{each.translation}”"


class CosineSeries(NamedTuple):
    """One series of cosines, one per layer, the embeddings first; NaN where there is none."""

    name: str
    cosines: Sequence[float]


def similarity(
    rows: Sequence[CosineSeries], layers: Sequence[str], *, title: str, chosen: int | None = None
) -> go.Figure:
    """A plot, one line per series, the last the baseline. `layers` are names; the layer `chosen`, if any, is marked."""
    if not rows or not layers:
        return theme.empty("There is nothing to compare.")
    layout = theme.layout(title, 430, "", "cosine (1: same direction)")
    low = min([0.0, *(value for row in rows for value in row.cosines if not math.isnan(value))])
    layout["yaxis"] |= {"range": [low - 0.08, 1.18], "rangemode": "normal", "zeroline": True}
    ticks = {
        "tickmode": "array",
        "tickvals": [*range(len(layers))],
        "showgrid": False,
        "zeroline": False,
    }
    layout["xaxis"] = {
        "title": {"text": LAYER_AXIS},
        "fixedrange": True,
        "range": [-0.2, len(layers) - 0.6],
        **ticks,
    }
    layout["margin"] |= {"t": 78 + 22 * len(rows)}
    layout["legend"] = {"y": 1, "yanchor": "bottom", "x": 0}
    # the baseline always has the last style
    kinds = [*range(len(rows) - 1), len(DASHES) - 1] if len(rows) > 1 else [0]
    figure = go.Figure(
        [_line(row, layers, kind % len(DASHES)) for row, kind in zip(rows, kinds, strict=True)],
        layout,
    )
    if chosen is None:
        return figure
    return figure.add_vline(x=chosen, line={"color": "gray", "width": 1, "dash": "dot"})


def _line(row: CosineSeries, layers: Sequence[str], kind: int) -> go.Scatter:
    is_first = kind == 0
    return go.Scatter(
        x=[*range(len(layers))],
        y=[*row.cosines],
        mode="lines+markers+text" if is_first else "lines+markers",
        text=[f"{value:.2f}".replace("-", "−") for value in row.cosines] if is_first else None,
        textposition="top right",
        name=theme.escaped(row.name),
        line={
            "dash": DASHES[kind],
            "width": 3 if is_first else 1.5,
            "color": theme.CATEGORICAL[COLORS[kind]],
        },
        marker={"symbol": SYMBOLS[kind], "size": 9, "line": {"width": 2}},
        customdata=[*layers],
        hovertemplate="%{customdata}: cosine %{y:.3f}<extra>%{fullData.name}</extra>",
    )


def nearest(question: Neighbors, answer: NearStates, model: str) -> list[Picture]:
    layer = layer_name(layer_index(question.layer, answer.n_layers), answer.n_layers)
    of = f"“{answer.of}”" if answer.of else "the sentence"
    title = f"{model}\nencoder · {layer} · nearest to {of}"
    n = answer.n_own + answer.n_others
    others = f" and {answer.n_others:,} others ({answer.others})" if answer.n_others else ""
    searched = (
        f"Searched {n:,} sentences with {answer.n_words:,} words: {answer.n_own:,} of the dataset that this run was"
        f" trained on{others}."
    )
    return [
        Picture(
            "neighbors",
            title,
            None,
            title.replace("\n", ", "),
            question.table(answer),
            question.finding(answer),
            f"{searched} {NEAR_CAPTION}",
        )
    ]
