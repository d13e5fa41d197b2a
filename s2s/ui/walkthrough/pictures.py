"""Pictures of the Walkthrough: a tensor with its shape in words, cut where it is wide, whole to download."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from types import MappingProxyType

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from s2s import plots
from s2s.analysis import Array, Mask
from s2s.plots import tensor_hover
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import plain, shortened

MOST = 64  # columns that are drawn
DRAWN = "walk drawn"  # rows of PLOTS, since the last legend
NEVER = np.float32(-np.inf)
READINGS = MappingProxyType(
    {
        "attention": "Each row of weights sums to 1: the brighter a cell, the more is taken from that word."
    }
)


def numbers(
    name: str, values: Array, rows: Sequence[str], *, mark: int | None = None, noun: str = "token"
) -> None:
    """(tokens, numbers): the first columns drawn, all of them to download."""
    n_rows, n_columns = values.shape
    cut = f" (the first {MOST} drawn)" if n_columns > MOST else ""
    title = f"{name}\n{counted(n_rows, noun)} × {n_columns:,} numbers each{cut}"
    drawn = plots.tensor(values[:, :MOST], rows, title=title, mark=mark)
    _shown("tensor", drawn, title, partial(plots.tensor_csv, values, rows))


def heads(
    name: str, values: Array, rows: Sequence[str], n_heads: int, *, mark: int | None = None
) -> None:
    """(tokens, heads * d_head): the first numbers of each head, side by side."""
    each = values.shape[1] // n_heads
    kept = min(each, max(1, MOST // n_heads))
    drawn = values.reshape(len(rows), n_heads, each)[:, :, :kept].reshape(len(rows), -1)
    cut = f" (first {kept} drawn)" if kept < each else ""
    title = (
        f"{name}\n{counted(len(rows), 'token')} × {counted(n_heads, 'head')} of {each} numbers{cut}"
    )
    names = [f"{head}.{number}" for head in range(1, n_heads + 1) for number in range(1, kept + 1)]
    starts = [kept * head for head in range(n_heads)]
    picture = plots.tensor(
        drawn, rows, names, title=title, across="head.number", mark=mark, breaks=starts[1:]
    )
    picture.update_xaxes(tickvals=starts, ticktext=[names[at] for at in starts], tickangle=0)
    picture.update_traces(
        customdata=np.array([names] * len(rows)),
        hovertemplate=tensor_hover("%{customdata}"),
        selector={"type": "heatmap"},
    )
    all_names = [
        f"{head}.{number}" for head in range(1, n_heads + 1) for number in range(1, each + 1)
    ]
    _shown("tensor", picture, title, partial(plots.tensor_csv, values, rows, all_names))


def pairs(
    name: str, values: Array, rows: Sequence[str], columns: Sequence[str], *,
    mark: int | None = None, of: tuple[str, str] = ("query", "key"),
) -> None:  # fmt: skip
    """Something with a name for each row and each column; `of`: what those are."""
    title = f"{name}\n{counted(len(rows), of[0])} × {counted(len(columns), of[1])}"
    drawn = plots.tensor(values, rows, columns, title=title, across=of[1], mark=mark)
    _shown("tensor", drawn, title, partial(plots.tensor_csv, values, rows, columns))


def weights(
    name: str, values: Array, rows: Sequence[str], columns: Sequence[str], verb: str
) -> None:
    """(queries, keys), rows that sum to 1."""
    title = f"{name}\n{counted(len(rows), 'query')} × {counted(len(columns), 'key')}; each row sums to 1"
    drawn = plots.heatmap(values, columns, rows, title=title, verb=verb)
    _shown("attention", drawn, title, partial(plots.attention_csv, values, columns, rows, verb))


def figure(
    plot: str,
    drawn: go.Figure,
    name: str,
    *,
    values: Array,
    rows: Sequence[str],
    columns: Sequence[str],
) -> None:
    """Any other picture, by a row of PLOTS, with its numbers."""
    _shown(plot, drawn, name, partial(plots.tensor_csv, values, rows, columns))


def legend() -> None:
    """How to read the pictures that were drawn: a sentence for each kind."""
    for plot in dict.fromkeys(st.session_state.pop(DRAWN, [])):
        st.caption(READINGS.get(plot, plots.PLOTS[plot].caption))


def _shown(plot: str, drawn: go.Figure, title: str, make: partial[str]) -> None:
    name = title.partition("\n")[0]
    st.session_state.setdefault(DRAWN, []).append(plot)
    chart(drawn, alt=f"Picture of {title.replace(chr(10), ', ')}", file_name=file_name(name))
    label = f"{plain(shortened(name))} (CSV)"
    file = f"{file_name(name)}.csv"
    st.download_button(
        label,
        make,
        file,
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
    )


def looks(mask: Mask) -> Array:
    """A mask as what is added to scores: 0 where one may look, minus infinity elsewhere."""
    return np.where(mask, np.float32(0), NEVER)


def counted(n: int, noun: str) -> str:
    """`1 token`, `7 tokens`, `7 queries`."""
    return f"{n:,} {noun if n == 1 else f'{noun[:-1]}ies' if noun.endswith('ry') else f'{noun}s'}"


def signed(value: float) -> str:
    """`-1.234` -> `−1.23`."""
    return f"{value:.2f}".replace("-", "−")
