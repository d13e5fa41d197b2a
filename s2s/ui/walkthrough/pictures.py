"""Pictures of the Walkthrough: tensors with their shapes in words. Wide ones are truncated; downloads are complete."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import plotly.graph_objects as go
import streamlit as st

from s2s import plots
from s2s.analysis import Array
from s2s.ui.kit import chart, file_name, plain, shortened
from s2s.ui.walkthrough.step import counted

MAX_COLUMNS = 64  # that are drawn
SLOTS = "walk legends"  # by row of PLOTS drawn since the last legend: below its last picture


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
        place.caption(plots.PLOTS[plot].caption)


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
