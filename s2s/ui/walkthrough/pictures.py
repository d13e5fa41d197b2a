"""Pictures of the Walkthrough: tensors with their shapes in words. Wide ones are truncated; downloads are complete."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from types import MappingProxyType

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from s2s import plots
from s2s.analysis import Array, Mask
from s2s.ui.kit import chart, file_name, plain, shortened
from s2s.ui.walkthrough.step import counted

MAX_COLUMNS = 64  # that are drawn
SLOTS = "walk legends"  # by row of PLOTS drawn since the last legend: below its last picture
READINGS = MappingProxyType(
    {"attention": "Each row of weights sums to 1: the brighter a cell, the larger the weight."}
)


def show_tensor(
    name: str,
    values: Array,
    rows: Sequence[str],
    *,
    mark: int | None = None,
    noun: str = "token",
    limit: float = 0.0,
) -> None:
    """(tokens, numbers). `mark`: the row to frame; `limit`: the color scale's largest number, of `shared_limit`."""
    n_rows, n_columns = values.shape
    shown = f" (first {MAX_COLUMNS} shown)" if n_columns > MAX_COLUMNS else ""
    title = f"{name}\n{counted(n_rows, noun)} × {n_columns:,} numbers each{shown}"
    figure = plots.tensor(values[:, :MAX_COLUMNS], rows, title=title, mark=mark, limit=limit)
    show_with_csv("tensor", figure, title, partial(plots.tensor_csv, values, rows))


def shared_limit(*values: Array) -> float:
    """One color scale for several pictures of `show_tensor`: the size of the largest number that they draw."""
    return plots.largest(*(each[:, :MAX_COLUMNS] for each in values))


def show_heads(
    name: str, values: Array, rows: Sequence[str], n_heads: int, *, mark: int | None = None
) -> None:
    """(tokens, heads * d_head): the first numbers of each head, side by side."""
    d_head = values.shape[1] // n_heads
    n_shown = min(d_head, max(1, MAX_COLUMNS // n_heads))
    by_head = values.reshape(len(rows), n_heads, d_head)
    shown = by_head[:, :, :n_shown].reshape(len(rows), -1)  # (tokens, heads * n_shown)
    some = f" (first {n_shown} shown)" if n_shown < d_head else ""
    heads = counted(n_heads, "head")
    title = f"{name}\n{counted(len(rows), 'token')} × {heads} of {d_head} numbers{some}"
    names = _head_columns(n_heads, n_shown)
    starts = [n_shown * head for head in range(n_heads)]
    figure = plots.tensor(
        shown, rows, names, title=title, x_label="head.number", mark=mark, breaks=starts[1:]
    )
    figure.update_xaxes(tickvals=starts, ticktext=[names[at] for at in starts], tickangle=0)
    figure.update_traces(
        customdata=np.array([names] * len(rows)),
        hovertemplate=plots.tensor_hover("%{customdata}"),
        selector={"type": "heatmap"},
    )
    columns = _head_columns(n_heads, d_head)
    show_with_csv("tensor", figure, title, partial(plots.tensor_csv, values, rows, columns))


def _head_columns(n_heads: int, n_numbers: int) -> list[str]:
    """`2.31`: number 31 of head 2."""
    heads = range(1, n_heads + 1)
    return [f"{head}.{number}" for head in heads for number in range(1, n_numbers + 1)]


def show_pairs(
    name: str,
    values: Array,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    mark: int | None = None,
    nouns: tuple[str, str] = ("query", "key"),
) -> None:
    """A number for each row and column; `nouns`: what rows and columns are."""
    shape = f"{counted(len(rows), nouns[0])} × {counted(len(columns), nouns[1])}"
    title = f"{name}\n{shape}"
    figure = plots.tensor(values, rows, columns, title=title, x_label=nouns[1], mark=mark)
    show_with_csv("tensor", figure, title, partial(plots.tensor_csv, values, rows, columns))


def show_weights(
    name: str, values: Array, rows: Sequence[str], columns: Sequence[str], *, verb: str
) -> None:
    """(queries, keys), rows that sum to 1. `verb`: `reads` or `predicts`, what rows do to their token."""
    shape = f"{counted(len(rows), 'query')} × {counted(len(columns), 'key')}"
    title = f"{name}\n{shape}; each row sums to 1"
    figure = plots.heatmap(values, columns, rows, title=title, verb=verb)
    show_with_csv(
        "attention", figure, title, partial(plots.attention_csv, values, columns, rows, verb)
    )


def show_figure(
    plot: str,
    figure: go.Figure,
    name: str,
    *,
    values: Array,
    rows: Sequence[str],
    columns: Sequence[str],
) -> None:
    """Any other picture, by its row of PLOTS, with its data to download."""
    show_with_csv(plot, figure, name, partial(plots.tensor_csv, values, rows, columns))


def begin() -> None:
    """Nothing is drawn yet; an earlier run of the script may have ended between pictures."""
    st.session_state[SLOTS] = []


def show_legend() -> None:
    """One sentence for each kind of picture drawn so far, in the last one's container: a lesson hides both or none."""
    for plot, place in dict(st.session_state.pop(SLOTS, [])).items():
        place.caption(READINGS.get(plot, plots.PLOTS[plot].caption))


def show_with_csv(plot: str, figure: go.Figure, title: str, make_csv: partial[str]) -> None:
    """A picture, by its row of PLOTS; its data are written when somebody downloads them."""
    name = title.partition("\n")[0]
    drawn = st.session_state.setdefault(SLOTS, [])
    place = st.container(key=f"walk picture {len(drawn) + 1}")  # a lesson may hide it
    drawn.append((plot, place))
    with place:
        chart(figure, alt=f"Picture of {title.replace(chr(10), ', ')}", file_name=file_name(name))
        st.download_button(
            f"{plain(shortened(name))} (CSV)",
            make_csv,
            f"{file_name(name)}.csv",
            "text/csv",
            on_click="ignore",
            icon=":material/download:",
            type="tertiary",
        )


def additive_mask(mask: Mask) -> Array:
    """What is added to the scores: 0 where attention is allowed, minus infinity elsewhere."""
    return np.where(mask, np.float32(0), np.float32(-np.inf))
