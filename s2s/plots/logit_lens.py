"""What the decoder would write after each layer: tokens in cells, their probability as color."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.attention import csv_cell, geometry
from s2s.plots.similarity import LAYER_AXIS

Shares = npt.NDArray[np.float32]
CELL = 9  # characters of a token in a cell; fewer where layers are many
FEW_LAYERS = 5
TOP = 118  # pixels above the cells


class LensCell(NamedTuple):
    """At one place after one layer: the likeliest tokens with their probabilities, and where the written one stands."""

    tokens: Sequence[str]
    shares: Sequence[float]
    rank: int  # of the token that is written in the end; 1: the likeliest
    written: float  # its probability


def logit_lens(
    guesses: Sequence[Sequence[LensCell]], rows: Sequence[str], layers: Sequence[str], *, title: str
) -> go.Figure:
    """`guesses[place][layer]`; `rows` are the tokens that are written, a row each. A frame marks a cell that already says it."""
    if not rows:
        return theme.empty("There is no target to look at.")
    shares = np.array([[guess.shares[0] for guess in row] for row in guesses], np.float32)
    place = geometry(layers, rows)
    ticks = {
        "tickmode": "array",
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "tickfont": {"size": 13},
    }
    across = {
        "tickvals": [*range(len(layers))],
        "title": {"text": LAYER_AXIS, "standoff": 12},
        "side": "top",
    }
    names = [theme.escaped(theme.shortened(row)) for row in rows]
    down = {
        "tickvals": [*range(len(rows))],
        "ticktext": names,
        "title": {"text": "predicts", "standoff": 12},
    }
    row_height = max(place.row, 26)
    layout = {
        "title": theme.heading(title),
        "xaxis": ticks | across | {"range": [-0.5, len(layers) - 0.5]},
        "yaxis": ticks | down | {"range": [len(rows) - 0.5, -0.5]},
        "margin": {**theme.MARGIN, "l": place.left, "t": TOP},
        "height": TOP + 8 + len(rows) * row_height,
        "dragmode": False,
        "showlegend": False,
        "shapes": [
            _frame(y, x)
            for y, row in enumerate(guesses)
            for x, guess in enumerate(row)
            if guess.rank == 1
        ],
    }
    return go.Figure([_cells(shares, guesses, rows, layers), _words(shares, guesses)], layout)


def _frame(y: int, x: int) -> dict[str, object]:
    corners = {"x0": x - 0.47, "x1": x + 0.47, "y0": y - 0.44, "y1": y + 0.44}
    return {"type": "rect", **corners, "line": {"color": theme.CATEGORICAL[3], "width": 2}}


def _cells(
    shares: Shares,
    guesses: Sequence[Sequence[LensCell]],
    rows: Sequence[str],
    layers: Sequence[str],
) -> go.Heatmap:
    said = [
        [_said(guess, row, layer) for guess, layer in zip(line, layers, strict=True)]
        for line, row in zip(guesses, rows, strict=True)
    ]
    return go.Heatmap(
        z=shares,
        zmin=0,
        zmax=1,
        colorscale=theme.SEQUENTIAL,
        xgap=1,
        ygap=1,
        customdata=np.array(said, dtype=object),
        hovertemplate="%{customdata}<extra></extra>",
        colorbar={
            "thickness": 10,
            "title": {"text": "probability", "side": "right"},
            "tickformat": ".1f",
        },
    )


def _said(guess: LensCell, row: str, layer: str) -> str:
    best = "<br>".join(
        f"{share:.3f} {theme.escaped(token)}"
        for token, share in zip(guess.tokens, guess.shares, strict=True)
    )
    return f"{layer}, where <b>{theme.escaped(row)}</b> is written<br>{best}<br>written: rank {guess.rank:,}, {guess.written:.3f}"


def _words(shares: Shares, guesses: Sequence[Sequence[LensCell]]) -> go.Scatter:
    """Texts of their own, because a heatmap writes in grey on the middle of the scale."""
    down, across = np.indices(shares.shape, dtype=np.float32)
    length = CELL if shares.shape[1] <= FEW_LAYERS else 6
    return go.Scatter(
        x=across.ravel(),
        y=down.ravel(),
        mode="text",
        text=[
            theme.escaped(theme.shortened(guess.tokens[0], length))
            for row in guesses
            for guess in row
        ],
        textfont={"color": theme.text_colors(shares), "size": 12},
        hoverinfo="skip",
        cliponaxis=False,
    )


def logit_lens_csv(
    guesses: Sequence[Sequence[LensCell]], rows: Sequence[str], layers: Sequence[str]
) -> str:
    """One line a place and layer, as CSV: rank and probability of the written token, then the likeliest with theirs."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    n = max((len(guess.tokens) for row in guesses for guess in row), default=0)
    best = (f"{what}_{at}" for at in range(1, n + 1) for what in ("token", "share"))
    table.writerow(["place", "written", "layer", "rank", "probability", *best])
    for place, (line, token) in enumerate(zip(guesses, rows, strict=True), 1):
        for guess, layer in zip(line, layers, strict=True):
            told = (
                value
                for name, share in zip(guess.tokens, guess.shares, strict=True)
                for value in (csv_cell(name), f"{share:.6f}")
            )
            table.writerow(
                [place, csv_cell(token), layer, guess.rank, f"{guess.written:.6f}", *told]
            )
    return out.getvalue()
