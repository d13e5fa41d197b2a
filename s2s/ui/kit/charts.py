"""Plotly figures on the screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from s2s import plots
from s2s.ui.canvas import touch_scrolling


def chart(figure: go.Figure | Mapping[str, Any], *, alt: str, file_name: str) -> None:
    """Draw a figure with hover, tap and a save button that never catches the page's scrolling.

    A figure as a mapping says the size of each text itself.
    """
    if isinstance(figure, Mapping):
        figure = plots.DrawnFigure(figure)
    else:
        _enlarge_small_text(figure)
    st.plotly_chart(figure, config=_config(file_name), alt=alt, theme="streamlit")


def clickable_chart(
    figure: go.Figure, *, alt: str, file_name: str, key: str, on_pick: Callable[[Any], None]
) -> None:
    """Draw a figure in its own width, whose points can be clicked; `on_pick` gets the point's `customdata`."""

    def picked() -> None:
        for point in st.session_state[key].selection.points:
            on_pick(point.get("customdata"))

    _enlarge_small_text(figure)
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


def _enlarge_small_text(figure: go.Figure) -> None:
    """Enlarge ticks and texts that are drawn and whose size the figure leaves to the theme; each takes Plotly 0.2
    ms.
    """
    fonts = [axis.tickfont for axis in (*figure.select_xaxes(), *figure.select_yaxes())]
    fonts += [figure.layout.legend.font] if figure.layout.showlegend is not False else []
    for trace in figure.data:
        has_text = "textfont" in trace and ("mode" not in trace or "text" in (trace.mode or ""))
        fonts += [trace.textfont] if has_text else []
        has_scale = "colorbar" in trace and trace.showscale is not False
        fonts += [trace.colorbar.tickfont] if has_scale else []
    for font in fonts:
        if font.size is None:
            font.size = plots.theme.SMALLEST


def _config(file_name: str) -> dict[str, Any]:
    return {
        "displaylogo": False,
        "scrollZoom": False,
        "displayModeBar": True,
        "modeBarButtons": [["toImage"]],  # opens the dialog of `save_picture`
        "toImageButtonOptions": {"format": "png", "filename": file_name, "scale": 2},
    }
