"""Numbers as colors: a tensor with a row per token, or a matrix with tokens on both axes."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.analysis import Floats
from s2s.plots import theme
from s2s.plots.attention import axis_above, geometry

Array = npt.NDArray[np.float32]
LEGIBLE = 12  # rows or columns up to which numbers fit into the cells, also on a phone
ROW = 26  # pixels
MINUS_INFINITY = "−∞"
MAX_GAPS = 48  # columns up to which cells have gaps, and those of minus infinity a label
LEAST_DRAWN = 0.005  # the cells show two decimals, and a minus before a zero would puzzle
MOST_LABELS = 16  # of columns, on a phone; hover names each


def tensor(
    values: Array,
    rows: Sequence[str],
    columns: Sequence[str] | None = None,
    *,
    title: str,
    x_label: str = "dimension",
    mark: int | None = None,
    breaks: Sequence[int] = (),
    limit: float = 0.0,
) -> go.Figure:
    """A heatmap of numbers. `values` is (rows, columns); unnamed columns are numbered from 1. 0 is dark, negative blue,
    positive yellow.

    Minus infinity and NaN have no cell. `mark`: a 0-based row to frame; `breaks`: 0-based columns with a line before
    them. `limit`: the size of the largest number of the color scale, for pictures that share one; 0: that of `values`.
    """
    if values.size == 0:
        return theme.empty("There are no numbers to show.")
    if values.shape[0] != len(rows) or (columns is not None and values.shape[1] != len(columns)):
        raise ValueError(
            f"values are {values.shape}, the names {(len(rows), len(columns or values[0]))}"
        )
    has_numbers = max(values.shape) <= LEGIBLE
    scale = limit or largest(values) or 1.0
    texts = (
        [_texts(values, scale, has_numbers=has_numbers)]
        if has_numbers or values.shape[1] <= MAX_GAPS
        else []
    )
    place = geometry(columns or [""], rows)
    row = max(ROW if len(rows) <= LEGIBLE else 0, min(ROW, place.row))
    shape = {"l": place.left - 20, "t": place.top - 16, "r": 8, "b": 8}
    layout = {
        "title": theme.heading(title),
        "xaxis": _column_axis(
            columns, values.shape[1], axis_above(x_label, 8, columns or (), title)
        ),
        "yaxis": _named(rows) | {"range": [len(rows) - 0.5, -0.5]},
        "margin": shape,
        "height": shape["t"] + shape["b"] + len(rows) * row,
        "shapes": [*_frame(mark, values.shape[1]), *(_line(at) for at in breaks)],
    }
    cells = _cells(
        values, scale, is_named=columns is not None, has_scale=not has_numbers and len(rows) > 1
    )
    return go.Figure([cells, *texts], layout | {"dragmode": False, "showlegend": False})


def largest(*values: Array) -> float:
    """The largest absolute value; 0 where none is finite."""
    return max(float(np.abs(each[np.isfinite(each)]).max(initial=0.0)) for each in values)


def _cells(values: Array, limit: float, *, is_named: bool, has_scale: bool) -> go.Heatmap:
    finite = np.isfinite(values)
    return go.Heatmap(
        z=np.where(finite, values, np.nan).astype(np.float32),
        **theme.around_zero(limit),
        xgap=1 if values.shape[1] <= MAX_GAPS else 0,
        ygap=1,
        customdata=None
        if is_named
        else np.broadcast_to(np.arange(1, values.shape[1] + 1, dtype=np.int32), values.shape),
        hovertemplate=tensor_hover("%{x}" if is_named else "%{customdata}"),
        hoverongaps=False,
        showscale=has_scale,
        colorbar={
            "thickness": 10,
            "tickvals": [-limit, 0, limit],
            "ticktext": [*map(short_number, (-limit, 0, limit))],
        },
    )


def tensor_hover(column: str) -> str:
    """The hover text of a cell, for Plotly to fill in."""
    return f"%{{y}} · {column}: %{{z:.3~g}}<extra></extra>"


def _texts(values: Array, limit: float, *, has_numbers: bool) -> go.Scatter:
    finite = np.isfinite(values)
    rows, columns = np.nonzero(np.ones_like(finite) if has_numbers else ~finite)
    inks = theme.text_colors(np.abs(values / limit)[rows, columns].astype(np.float32))
    shown = [
        (float(values[at]), ink)
        for at, ink in zip(zip(rows, columns, strict=True), inks, strict=True)
    ]
    return go.Scatter(
        x=columns.astype(np.float32),
        y=rows.astype(np.float32),
        mode="text",
        text=[short_number(value) for value, _ in shown],
        textfont={
            "color": [ink if np.isfinite(value) else theme.ON_PAGE for value, ink in shown],
            "size": 12,
        },
        hoverinfo="skip",
        cliponaxis=False,
    )


def short_number(value: float) -> str:
    """A number for a small cell: `-0.123` -> `−.12`, `12.3` -> `12`, `0` -> `0`."""
    if value == -np.inf:
        return MINUS_INFINITY
    if np.isnan(value) or value == 0:
        return "NaN" if value else "0"
    digits = 2 if abs(value) < 1 else int(abs(value) < 10)
    text = f"{value:.{digits}f}"
    return text.replace("-0.", "-.").removeprefix("0").replace("-", "−")


def _named(names: Sequence[str]) -> dict[str, Any]:
    texts = [theme.label(name) for name in names]
    plain = {"showgrid": False, "zeroline": False, "fixedrange": True, "tickfont": {"size": 13}}
    return {"tickmode": "array", "tickvals": [*range(len(names))], "ticktext": texts} | plain


def _column_axis(
    columns: Sequence[str] | None, n_columns: int, above: dict[str, Any]
) -> dict[str, Any]:
    axis = _named(
        [str(number) for number in range(1, n_columns + 1)] if columns is None else columns
    )
    if columns is None and n_columns > LEGIBLE:  # some have labels; hover names each
        step = max(1, n_columns // 8)
        axis["tickvals"] = [0, *range(step - 1, n_columns, step)]
        axis["ticktext"] = [str(place + 1) for place in axis["tickvals"]]
    return axis | above | {"range": [-0.5, n_columns - 0.5]}


def _frame(mark: int | None, n_columns: int) -> list[dict[str, Any]]:
    if mark is None:
        return []
    line = {"color": theme.CATEGORICAL[3], "width": 2.5}
    return [
        {
            "type": "rect",
            "x0": -0.5,
            "x1": n_columns - 0.5,
            "y0": mark - 0.5,
            "y1": mark + 0.5,
            "line": line,
        }
    ]


def _line(column: int) -> dict[str, Any]:
    line = {"color": theme.CATEGORICAL[3], "width": 2}
    return {
        "type": "line",
        "x0": column - 0.5,
        "x1": column - 0.5,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": line,
    }


def signed_map(
    values: Floats, rows: Sequence[str], columns: Sequence[str], *, title: str
) -> go.Figure:
    """A heatmap of numbers with a sign, (rows, columns): 0 is dark, negative blue, positive yellow; what rounds to 0 is
    drawn as 0.
    """
    drawn = np.where(np.abs(values) < LEAST_DRAWN, 0, values).astype(np.float32)
    figure = tensor(drawn, rows, columns, title=title, x_label="")
    if not drawn.size:
        return figure
    room = geometry(columns, rows)
    height = room.top + len(rows) * room.row + figure.layout.margin.b
    figure.update_layout(margin_l=room.left, margin_t=room.top, height=height)
    step = ceil(len(columns) / MOST_LABELS)
    if step > 1:
        names = np.array([theme.escaped(name) for name in columns], dtype=object)
        figure.data[0].customdata = np.broadcast_to(names, drawn.shape)
        figure.data[0].hovertemplate = tensor_hover("%{customdata}")
        axis = figure.layout.xaxis
        labels = {"tickvals": axis.tickvals[::step], "ticktext": axis.ticktext[::step]}
        figure.update_xaxes(tickangle=-90, **labels)
    return figure
