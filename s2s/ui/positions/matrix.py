"""The view Matrix: each encoding's numbers for every position, distance or pair of positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from s2s import plots
from s2s.analysis import positions as engine
from s2s.ui.kit import cached
from s2s.ui.positions.figures import (
    learned_table,
    rotated_query,
    show_figure,
    show_matrix,
    sinusoids,
)
from s2s.ui.positions.request import EncodingRequest


def sinusoidal(request: EncodingRequest) -> None:
    """Position down, dimension across."""
    settings = request.settings
    n, width = settings.length, settings.d_model
    title = f"Sinusoidal · {n} positions × {width} dimensions, {settings.layout}"
    show_matrix(sinusoids(settings), title, "position", "dimension")
    if settings.layout == "halves":
        layout = (
            "the left half holds sines, the right half cosines, and waves get slower from left to right within each"
            " half"
        )
    else:
        layout = "each sine stands next to its cosine, and waves get slower from left to right"
    st.caption(
        f"Each row is the vector that is added to the word at that position: {layout}. Nothing here is learned, and it"
        " does not show what a model makes of it."
    )
    if width % 2:
        st.info(
            f"With {width} columns, an odd number, the last sine has no cosine. The picture follows the formula; our"
            " models do not accept such a width, because that wave could not be rotated (see Rotation). Take"
            f" {width + 1}.",
            icon=":material/looks_one:",
        )


def learned(request: EncodingRequest) -> None:
    """The run's table."""
    table = learned_table(request)
    if table is None:
        return
    run = cached.title(request.run.folder.id)
    title = f"Learned · {run} · {len(table)} positions × {table.shape[1]} dimensions"
    show_matrix(table, title, "position", "dimension")
    st.caption(
        "Each row is the vector that training found for that position. This run trained on at most"
        f" {request.run.recipe.data.max_length} tokens; rows that no sentence reached keep their random initial values,"
        " and positions beyond the table cannot be read at all."
    )


def rotary(request: EncodingRequest) -> None:
    """Position down, column of the rotated query across."""
    settings = request.settings
    title = f"Rotary · query of (1, 0) pairs, {settings.length} positions, {settings.layout}"
    show_matrix(rotated_query(settings), title, "position", "column of the query")
    st.caption(
        "Rotary positions add no vector: they rotate queries and keys. This is a query whose pairs of columns all"
        " start as (1, 0), rotated to each position. A real query starts elsewhere in each pair, so its picture"
        " differs; the angles are the same."
    )


def alibi(request: EncodingRequest) -> None:
    """Head down, distance across."""
    settings = request.settings
    distances = np.arange(settings.length)
    penalties = np.outer(-engine.slopes(settings.heads), distances).astype(np.float32)
    title = f"ALiBi · penalties of {settings.heads} heads at {settings.length} distances"
    figure = plots.matrix(penalties, title=title, x_label="distance", y_label="head", signed=False)
    figure.update_traces(y0=1)
    columns: dict[str, npt.NDArray[Any]] = {"distance": distances}
    columns |= {f"head {head}": row for head, row in enumerate(penalties, 1)}
    show_figure(figure, title, f"Heatmap: {title}", lambda: plots.columns_csv(columns))
    st.caption(
        "Each row is one head: its penalty is added to a score before the softmax, 0 for the token itself and more"
        " negative with distance. The scores of the tokens themselves, which may outweigh the penalty, are not shown."
    )


def relative(request: EncodingRequest) -> None:
    """Query down, key across: the bucket."""
    settings = request.settings
    positions = np.arange(settings.length)
    distances = (positions[None] - positions[:, None]).ravel()
    found = engine.buckets(distances, settings.positions("relative"), is_causal=False)
    buckets = found.reshape(settings.length, settings.length).astype(np.float32)
    title = f"T5 · bucket of each query and key, {settings.buckets} buckets, {settings.length} positions"
    step = -(-settings.length // plots.MAX_MATRIX_ROWS)
    heading = f"{title}, one position in {step} drawn" if step > 1 else title
    figure = plots.matrix(
        buckets[::step, ::step], title=heading, x_label="key", y_label="query", signed=False
    )
    figure.update_traces(dx=step, dy=step)
    show_figure(figure, title, f"Heatmap: {title}", lambda: plots.matrix_csv(buckets, "query"))
    st.caption(
        "In the encoder, all pairs of positions with the same color share one learned score per head. Colors only"
        " name the buckets; the learned scores are shown under Distance if this page's run has them."
    )
