"""Plotly figures on the screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from s2s.ui.canvas import touch_scrolling


def chart(figure: go.Figure, *, alt: str, file_name: str) -> None:
    """A figure with hover, tap and a save button that never catches the page's scrolling."""
    st.plotly_chart(figure, config=_config(file_name), alt=alt, theme="streamlit")


def clickable_chart(
    figure: go.Figure, *, alt: str, file_name: str, key: str, on_pick: Callable[[Any], None]
) -> None:
    """A figure in its own width, whose points can be clicked; `on_pick` gets the point's `customdata`."""

    def picked() -> None:
        for point in st.session_state[key].selection.points:
            on_pick(point["customdata"])

    with touch_scrolling(key):
        st.plotly_chart(
            figure,
            config=_config(file_name),
            alt=alt,
            theme="streamlit",
            width=int(figure.layout.width),
            key=key,
            on_select=picked,
            selection_mode="points",
        )


def _config(file_name: str) -> dict[str, Any]:
    return {
        "displaylogo": False,
        "scrollZoom": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": "png", "filename": file_name, "scale": 2},
    }
