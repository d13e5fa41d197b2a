"""Figures on the screen."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st


def chart(figure: go.Figure, *, alt: str, file_name: str) -> None:
    """A picture that one can hover, tap and save, and that lets the page scroll."""
    config = {
        "displaylogo": False,
        "scrollZoom": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": "png", "filename": file_name, "scale": 2},
    }
    st.plotly_chart(figure, config=config, alt=alt, theme="streamlit")
