"""Tensors of a step as pictures, with their shapes in words. Wide ones are truncated; their tables are complete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from s2s.analysis import Array, Mask
from s2s.plots import theme
from s2s.plots.attention import heatmap
from s2s.plots.picture import Picture
from s2s.plots.tensor import largest, tensor, tensor_hover
from s2s.questions import Table, walked

MAX_COLUMNS = 64  # that are drawn
READING = "One row per token, one cell per number: dark is 0, yellow above, blue below; empty: −∞."
SUMS = "Each row of weights sums to 1: the brighter a cell, the larger the weight."
DASHES = ("solid", "dash", "dot", "dashdot")


def picture(
    figure: go.Figure | Table | None, title: str, table: Table, caption: str = ""
) -> Picture:
    name = title.partition("\n")[0]
    alt = f"Picture of {title.replace(chr(10), ', ')}"
    return Picture(name, title, figure, alt, table, caption=caption)


def table_of(values: Array, rows: Sequence[str], columns: Sequence[object]) -> Table:
    """A table of a tensor, with a row per token."""
    lines = zip(rows, values.tolist(), strict=True)
    return Table(("token", *map(str, columns)), [[name, *row] for name, row in lines])


def of_tokens(
    name: str,
    values: Array,
    rows: Sequence[str],
    *,
    mark: int | None = None,
    noun: str = "token",
    limit: float = 0.0,
) -> Picture:
    """A picture of (tokens, numbers); the row `mark` is framed, `limit` is the largest number of the color scale."""
    n_rows, n_columns = values.shape
    shown = f" (first {MAX_COLUMNS} shown)" if n_columns > MAX_COLUMNS else ""
    title = f"{name}\n{walked.counted(n_rows, noun)} × {n_columns:,} numbers each{shown}"
    figure = tensor(values[:, :MAX_COLUMNS], rows, title=title, mark=mark, limit=limit)
    return picture(figure, title, table_of(values, rows, range(1, n_columns + 1)), READING)


def shared_limit(*values: Array) -> float:
    """The largest size of a number that pictures of `of_tokens` draw, for one color scale for all of them."""
    return largest(*(each[:, :MAX_COLUMNS] for each in values))


def of_heads(
    name: str, values: Array, rows: Sequence[str], n_heads: int, *, mark: int | None = None
) -> Picture:
    """A picture of a tensor (tokens, heads * d_head): the first numbers of each head, side by side."""
    d_head = values.shape[1] // n_heads
    n_shown = min(d_head, max(1, MAX_COLUMNS // n_heads))
    by_head = values.reshape(len(rows), n_heads, d_head)
    shown = by_head[:, :, :n_shown].reshape(len(rows), -1)  # (tokens, heads * n_shown)
    some = f" (first {n_shown} shown)" if n_shown < d_head else ""
    heads = walked.counted(n_heads, "head")
    title = f"{name}\n{walked.counted(len(rows), 'token')} × {heads} of {d_head} numbers{some}"
    names = _head_columns(n_heads, n_shown)
    starts = [n_shown * head for head in range(n_heads)]
    figure = tensor(
        shown, rows, names, title=title, x_label="head.number", mark=mark, breaks=starts[1:]
    )
    figure.update_xaxes(tickvals=starts, ticktext=[names[at] for at in starts], tickangle=0)
    figure.update_traces(
        customdata=np.array([names] * len(rows)),
        hovertemplate=tensor_hover("%{customdata}"),
        selector={"type": "heatmap"},
    )
    table = table_of(values, rows, _head_columns(n_heads, d_head))
    return picture(figure, title, table, READING)


def _head_columns(n_heads: int, n_numbers: int) -> list[str]:
    heads = range(1, n_heads + 1)
    return [f"{head}.{number}" for head in heads for number in range(1, n_numbers + 1)]


def of_pairs(
    name: str,
    values: Array,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    mark: int | None = None,
    cell: int | None = None,
    nouns: tuple[str, str] = ("query", "key"),
) -> Picture:
    """A picture of a matrix with a number for each row and column; `cell` is the column framed in the row `mark`."""
    shape = f"{walked.counted(len(rows), nouns[0])} × {walked.counted(len(columns), nouns[1])}"
    title = f"{name}\n{shape}"
    figure = tensor(values, rows, columns, title=title, x_label=nouns[1], mark=mark)
    frame(figure, mark, cell)
    return picture(figure, title, table_of(values, rows, columns), READING)


def of_weights(
    name: str,
    values: Array,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    verb: str,
    mark: int | None = None,
) -> Picture:
    """A picture of weights (queries, keys); the largest weight in the row `mark` is framed."""
    shape = f"{walked.counted(len(rows), 'query')} × {walked.counted(len(columns), 'key')}"
    title = f"{name}\n{shape}; each row sums to 1"
    figure = heatmap(values, columns, rows, title=title, verb=verb)
    frame(figure, mark, None if mark is None else int(values[mark].argmax()))
    return picture(figure, title, table_of(values, rows, columns), SUMS)


def frame(figure: Any, row: int | None, column: int | None) -> None:
    """Frame one cell, counted from 0."""
    if row is not None and column is not None:
        edges = {"x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5}
        line = {"color": theme.CATEGORICAL[3], "width": 4}
        figure.add_shape(type="rect", **edges, line=line)


def additive_mask(mask: Mask) -> Array:
    """The mask as numbers that are added to the scores: 0 where attention is allowed, minus infinity elsewhere."""
    return np.where(mask, np.float32(0), np.float32(-np.inf))


def activations(
    inputs: Array,
    outputs: Mapping[str, Array],
    counts: Sequence[int],
    edges: Sequence[float],
    *,
    title: str,
    used: str,
) -> go.Figure:
    """A plot of activation functions. Curves: `outputs[name]` over `inputs`, that of `used` thick. Bars: `counts[i]`
    inputs from `edges[i]` on.
    """
    if not sum(counts):
        return theme.empty("This model has no feed-forward layer, so it has no activation.")
    shares = np.asarray(counts, np.float32) / sum(counts)
    bounds = np.asarray(edges, np.float32)
    bars = go.Bar(
        x=(bounds[:-1] + bounds[1:]) / 2,
        y=shares,
        width=np.diff(bounds),
        yaxis="y2",
        name="this layer's inputs (right axis)",
        marker={"color": "rgba(128, 128, 128, 0.35)"},
        hovertemplate="about %{x:.2f}: %{y:.1%} of the inputs<extra></extra>",
    )
    layout = theme.layout(title, 380, "input of the activation", "output")
    layout["xaxis"] |= {"rangemode": "normal", "zeroline": False}
    layout["yaxis"] |= {"rangemode": "normal", "zeroline": True}
    right = {
        "overlaying": "y",
        "side": "right",
        "tickformat": ".0%",
        "showgrid": False,
        "fixedrange": True,
        "rangemode": "tozero",
    }
    layout |= {"yaxis2": right, "bargap": 0, "margin": layout["margin"] | {"r": 44}}
    lines = [
        _line(inputs, outputs[name], name, number, used) for number, name in enumerate(outputs)
    ]
    return go.Figure([bars, *lines], layout)


def _line(inputs: Array, output: Array, name: str, number: int, used: str) -> go.Scatter:
    is_used = name == used
    return go.Scatter(
        x=np.asarray(inputs, np.float32),
        y=np.asarray(output, np.float32),
        mode="lines",
        name=f"{name} (this model's)" if is_used else name,
        line={
            "color": theme.CATEGORICAL[number],
            "width": 4 if is_used else 2,
            "dash": DASHES[number % len(DASHES)],
        },
        hovertemplate=f"{name} of %{{x:.2f}}: %{{y:.3f}}<extra></extra>",
    )
