"""The logit lens: what the decoder would predict after each layer, with probabilities as colors."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.files import csv_writer
from s2s.plots import theme
from s2s.plots.attention import geometry
from s2s.plots.similarity import LAYER_AXIS

Shares = npt.NDArray[np.float32]
CELL = 9  # characters of a token in a cell; 6 beyond FEW_LAYERS
FEW_LAYERS = 5
TOP = 118  # pixels above the cells


class LensCell(NamedTuple):
    """One position after one layer: the most probable tokens, and the rank and probability of the produced one."""

    tokens: Sequence[str]
    shares: Sequence[float]
    rank: int  # of the token that the model produces in the end, from 1
    written: float  # its probability


def logit_lens(
    guesses: Sequence[Sequence[LensCell]], rows: Sequence[str], layers: Sequence[str], *, title: str
) -> go.Figure:
    """`guesses[position][layer]`; one row per produced token. A frame marks a cell that already predicts it."""
    if not rows:
        return theme.empty("There is no target to show.")
    shares = np.array([[guess.shares[0] for guess in row] for row in guesses], np.float32)
    room = geometry(layers, rows)
    ticks = {
        "tickmode": "array",
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "tickfont": {"size": 13},
    }
    x_axis = {
        "tickvals": [*range(len(layers))],
        "title": {"text": LAYER_AXIS, "standoff": 12},
        "side": "top",
    }
    names = [theme.label(row) for row in rows]
    y_axis = {
        "tickvals": [*range(len(rows))],
        "ticktext": names,
        "title": {"text": "predicts", "standoff": 12},
    }
    row_height = max(room.row, 26)
    layout = {
        "title": theme.heading(title),
        "xaxis": ticks | x_axis | {"range": [-0.5, len(layers) - 0.5]},
        "yaxis": ticks | y_axis | {"range": [len(rows) - 0.5, -0.5]},
        "margin": {**theme.MARGIN, "l": room.left, "t": TOP},
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
    hover = [
        [_hover_text(guess, row, layer) for guess, layer in zip(line, layers, strict=True)]
        for line, row in zip(guesses, rows, strict=True)
    ]
    return go.Heatmap(
        z=shares,
        zmin=0,
        zmax=1,
        colorscale=theme.SEQUENTIAL,
        xgap=1,
        ygap=1,
        customdata=np.array(hover, dtype=object),
        hovertemplate="%{customdata}<extra></extra>",
        colorbar={
            "thickness": 10,
            "title": {"text": "probability", "side": "right"},
            "tickformat": ".1f",
        },
    )


def _hover_text(guess: LensCell, row: str, layer: str) -> str:
    best = "<br>".join(
        f"{share:.3f} {theme.escaped(token)}"
        for token, share in zip(guess.tokens, guess.shares, strict=True)
    )
    produced = f"produced token: rank {guess.rank:,}, {guess.written:.3f}"
    return f"{layer}, at the position that predicts <b>{theme.escaped(row)}</b><br>{best}<br>{produced}"


def _words(shares: Shares, guesses: Sequence[Sequence[LensCell]]) -> go.Scatter:
    """A trace of its own: a heatmap writes in gray on the middle of the scale."""
    rows, columns = np.indices(shares.shape, dtype=np.float32)
    length = CELL if shares.shape[1] <= FEW_LAYERS else 6
    return go.Scatter(
        x=columns.ravel(),
        y=rows.ravel(),
        mode="text",
        text=[theme.label(guess.tokens[0], length) for row in guesses for guess in row],
        textfont={"color": theme.text_colors(shares), "size": 12},
        hoverinfo="skip",
        cliponaxis=False,
    )


def logit_lens_csv(
    guesses: Sequence[Sequence[LensCell]], rows: Sequence[str], layers: Sequence[str]
) -> str:
    """As CSV, one line per position and layer: rank and probability of the produced token, then the best ones."""
    out = io.StringIO()
    table = csv_writer(out)
    n = max((len(guess.tokens) for line in guesses for guess in line), default=0)
    best = (f"{what}_{at}" for at in range(1, n + 1) for what in ("token", "share"))
    table.writerow(["place", "written", "layer", "rank", "probability", *best])
    for position, (line, token) in enumerate(zip(guesses, rows, strict=True), 1):
        for guess, layer in zip(line, layers, strict=True):
            candidates = (
                value
                for name, share in zip(guess.tokens, guess.shares, strict=True)
                for value in (name, share)
            )
            table.writerow([position, token, layer, guess.rank, guess.written, *candidates])
    return out.getvalue()
