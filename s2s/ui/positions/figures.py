"""What the pictures of all encodings share: figures with their data to download, and the vectors that they show."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from s2s import plots
from s2s.analysis import Matrix
from s2s.analysis import positions as engine
from s2s.config import POSITION_KINDS, Positions
from s2s.plots import LineSeries
from s2s.ui.kit import cached, chart, file_name, plain
from s2s.ui.positions.request import EncodingRequest
from s2s.ui.positions.settings import PositionSettings

N_RANDOM = 32  # pairs of random queries and keys
SHIFT = 100  # positions that query and key are moved together, to show that their score stays


def show_figure(figure: go.Figure, title: str, alt: str, make_csv: Callable[[], str]) -> None:
    """A figure and its data to download."""
    name = file_name(title)
    chart(figure, alt=alt, file_name=name)
    st.download_button(
        "Download data (CSV)",
        make_csv,
        f"{name}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=f"download {name}",
    )


def show_matrix(values: Matrix, title: str, down: str, across: str) -> None:
    """A heatmap of (rows, columns)."""
    figure = plots.matrix(values, title=title, x_label=across, y_label=down)
    show_figure(figure, title, f"Heatmap: {title}", lambda: plots.matrix_csv(values, down))


def show_lines(
    lines: Sequence[LineSeries], title: str, across: str, up: str, *, is_log: bool = False
) -> None:
    """Lines over the same x values; the download has one column per line."""
    figure = plots.line_chart(lines, title=title, x_label=across, y_label=up, is_log=is_log)
    columns = {across: np.asarray(lines[0].x)}
    for line in lines:
        for suffix, values in (("", line.y), ("low", line.low), ("high", line.high)):
            if len(values):
                columns[f"{line.name} {suffix}".strip()] = np.asarray(values)
    show_figure(figure, title, f"Lines: {title}", lambda: plots.columns_csv(columns))


def sinusoids(settings: PositionSettings) -> Matrix:
    """(positions, d_model)."""
    return _sinusoids(settings.length, settings.d_model, settings.base, settings.layout)


@st.cache_resource(max_entries=6, show_spinner=False)  # nobody writes to it: shared, not copied
def _sinusoids(length: int, d_model: int, base: float, layout: str) -> Matrix:
    return engine.sinusoid_vectors(length, d_model, Positions(base=base, layout=layout))


def rotated_query(settings: PositionSettings) -> Matrix:
    """A query whose pairs of columns are all (1, 0), rotated to each position: (positions, d_head)."""
    return engine.rotated_query(settings.d_head, settings.length, settings.positions("rotary"))


def learned_table(request: EncodingRequest) -> Matrix | None:
    """The run's position vectors, at most as many as asked for; without any, what to do."""
    table = engine.position_table(request.run.model)
    if table is None:
        kind = POSITION_KINDS[request.run.recipe.model.positions.kind].label
        st.info(
            f"{plain(cached.title(request.run.folder.id))} has no learned positions: its encoding is {kind}. Choose a"
            " run with learned positions above, or train one in a minute under Beyond training length.",
            icon=":material/table_rows:",
        )
        return None
    return table[: request.settings.length]


def chosen_pair(settings: PositionSettings, width: int) -> int:
    """From 0; the last one where there are fewer."""
    return min(settings.pair, width // 2) - 1
