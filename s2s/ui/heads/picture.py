"""A picture of a measurement, and its numbers to download."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from s2s.ui.kit import chart, file_name
from s2s.ui.kit.tables import frame_csv

LINE = 18  # pixels, of a title's line
ROOM = 14


def draw(figure: go.Figure, title: str) -> None:
    """With room for all lines of its title."""
    n_lines = title.count("\n") + 1
    room = max(figure.layout.margin.t or 0, n_lines * LINE + ROOM)
    figure.update_layout(margin_t=room)
    chart(figure, alt=title.replace("\n", ", "), file_name=file_name(title))


def download(frame: pd.DataFrame, label: str, title: str) -> None:
    """A table as CSV, named like the picture."""
    st.download_button(
        label,
        frame_csv(frame),
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )
