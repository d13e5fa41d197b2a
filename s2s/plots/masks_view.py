"""The pictures of `Masks`: causal, cross and padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.attention import ticks
from s2s.plots.picture import Picture
from s2s.questions import Masks, PaddedPair, masks

CAUSAL = (
    "In the decoder, each token attends to itself and to earlier tokens. Padding comes last, so this mask already hides"
    " it."
)
CROSS = (
    "Every target token may attend to every source token except padding: the source's padding mask, repeated in each"
    " row."
)
PADDING = (
    "All sentences in a batch have the same length, so the shorter one is padded with <pad>, which no token may attend"
    " to. Here the second sentence is “{second}”."
)
READING = "Each row is a query, each column a key: ✓ it may attend to it, ✕ it may not."
ROW = 26  # pixels
MAX_MARKED = 24  # columns up to which cells have a mark
SCALE = ((0, theme.CATEGORICAL[3]), (1, theme.CATEGORICAL[5]))


def pictures(question: Masks, answer: PaddedPair, model: str) -> list[Picture]:
    src, tgt = answer.src[question.row], answer.tgt[question.row]
    of_both = ("your sentence", "the second")
    cross = answer.cross(question.row)
    found = [
        _picture("Causal mask of the target, (tgt_len, tgt_len)", answer.causal, tgt, tgt),
        _picture("Cross mask, (tgt_len, src_len)", cross, src, tgt),
        _picture("Padding mask of both sources, (batch, src_len)", answer.padding, src, of_both),
    ]
    captions = (f"{READING} {CAUSAL}", CROSS, PADDING.format(second=answer.texts[1]))
    shown = [
        replace(each, title=f"{model}\n{each.title}", caption=caption)
        for each, caption in zip(found, captions, strict=True)
    ]
    shown[0] = replace(shown[0], finding=question.finding(answer))
    return shown


def _picture(
    title: str, allowed: masks.Allowed, keys: Sequence[str], rows: Sequence[str]
) -> Picture:
    alt = f"{title}: attention allowed for {int(allowed.sum())} of {allowed.size} pairs"
    figure = mask(allowed, keys, rows, title=title)
    name = " ".join(title.lower().split()[:2]).rstrip(",")
    return Picture(name, title, figure, alt, masks.mask_table(allowed, keys, rows))


def mask(
    allowed: npt.NDArray[np.bool_], keys: Sequence[str], rows: Sequence[str], *, title: str
) -> go.Figure:
    """A figure of a mask. `allowed` is (rows, keys), True = may attend: a check mark in the cell, else a cross."""
    if allowed.size == 0:
        return theme.empty("There are no tokens.")
    if allowed.shape != (len(rows), len(keys)):
        raise ValueError(f"the mask is {allowed.shape}, the tokens {(len(rows), len(keys))}")
    verbs = np.where(allowed, "may attend to", "may not attend to")
    hover = [
        [
            f"{theme.escaped(row)} {verb} {theme.escaped(key)}"
            for key, verb in zip(keys, line, strict=True)
        ]
        for row, line in zip(rows, verbs, strict=True)
    ]
    marks = np.where(allowed, "✓", "✕") if len(keys) <= MAX_MARKED else np.full(allowed.shape, "")
    cells = go.Heatmap(
        z=allowed.astype(np.uint8),
        zmin=0,
        zmax=1,
        colorscale=SCALE,
        showscale=False,
        xgap=1,
        ygap=1,
        text=marks.tolist(),
        texttemplate="%{text}",
        textfont={"color": "#000000", "size": 12},
        customdata=hover,
        hovertemplate="%{customdata}<extra></extra>",
    )
    left = 32 + 7 * max(len(theme.shortened(row)) for row in rows)
    margin = {"l": left, "r": 8, "t": 112, "b": 8}
    layout = {
        "title": theme.heading(title),
        "margin": margin,
        "height": 120 + ROW * len(rows),
        "dragmode": False,
    }
    x_axis = ticks(keys) | {"side": "top", "tickangle": -55}
    return go.Figure(
        cells, layout | {"xaxis": x_axis, "yaxis": ticks(rows) | {"autorange": "reversed"}}
    )
