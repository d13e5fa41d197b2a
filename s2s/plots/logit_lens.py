"""The logit lens: what the decoder would predict after each layer, with probabilities as colors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.attention import geometry
from s2s.plots.picture import Picture
from s2s.plots.same_word import LAYER_AXIS
from s2s.plots.truncation import fine_percent
from s2s.questions import Lens, LensCell, LogitLens, Table, layer_index, layer_name, layer_names

Shares = npt.NDArray[np.float32]
CELL = 9  # characters of a token in a cell; 6 beyond FEW_LAYERS
FEW_LAYERS = 5
TOP = 118  # pixels above the cells
CAPTION = "Each row is one token of the target, each column a layer; a frame marks layers that already predict it."


def pictures(question: LogitLens, answer: Lens, model: str) -> list[Picture]:
    title = f"{model}\ndecoder · logit lens\nmost probable next token after each layer"
    layers = layer_names(answer.n_layers)
    counts = ", ".join(
        f"{name}: {count}" for name, count in zip(layers, answer.counts, strict=True)
    )
    at = layer_index(question.layer, answer.n_layers)
    name = f"Most probable tokens · decoder · {layer_name(at, answer.n_layers)}"
    return [
        Picture(
            "lens",
            title,
            logit_lens(answer.cells, answer.tokens, layers, title=title),
            f"Grid: {title.replace(chr(10), ', ')}; of {answer.n_tokens} tokens, {counts}",
            question.table(answer),
            question.finding(answer),
            f"{CAPTION} {_caveat(answer)}",
        ),
        Picture("lens layer", f"{model}\n{name}", None, name, _of_layer(answer, at)),
    ]


def _of_layer(answer: Lens, layer: int) -> Table:
    rows = []
    for token, layers in zip(answer.tokens, answer.cells, strict=True):
        cell = layers[layer]
        best = zip(cell.tokens, cell.shares, strict=True)
        ranked = [f"{name} · {fine_percent(share)}" for name, share in best]
        rows.append([token, cell.rank, fine_percent(cell.written), *ranked])
    columns = ("target", "rank", "probability", *(f"{n}." for n in range(1, len(ranked) + 1)))
    return Table(columns, rows, {"rank": "Rank of the target's token; 1: the most probable."})


def _caveat(answer: Lens) -> str:
    norm = "there is no final norm to apply"
    if answer.is_normed:
        norm = "the final norm is applied to them, too"
    if answer.has_own_scales:
        norm += "; each layer here ends in its own norm, so early states have another scale than the last"
    tied = (
        f" At the embeddings {answer.n_read} of {answer.n_tokens} are the token just read: the projection is the"
        " embedding matrix."
        if answer.is_tied and answer.n_read
        else ""
    )
    forced = (
        " A forced token need not be the most probable." if answer.n_found < answer.n_tokens else ""
    )
    return (
        f"The lens (nostalgebraist 2020) reads states of earlier layers as if they were the last: {norm}. They were"
        " never trained for that, so a wrong early prediction says little, and a right one much. The last column is"
        f" exactly what the model predicts.{forced}{tied}"
    )


def logit_lens(
    guesses: Sequence[Sequence[LensCell]], rows: Sequence[str], layers: Sequence[str], *, title: str
) -> go.Figure:
    """A grid of the decoder's predictions, `guesses[position][layer]`; one row per produced token. A frame marks a cell
    that already predicts it.
    """
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
    """The words in the cells, as a trace of its own: a heatmap writes in gray on the middle of the scale."""
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
