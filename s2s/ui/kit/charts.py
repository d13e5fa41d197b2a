"""Figures on the screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st


def chart(figure: go.Figure, *, alt: str, file_name: str) -> None:
    """A picture that one can hover, tap and save, and that lets the page scroll."""
    st.plotly_chart(figure, config=_config(file_name), alt=alt, theme="streamlit")


def clickable_chart(
    figure: go.Figure, *, alt: str, file_name: str, key: str, on_pick: Callable[[Any], None]
) -> None:
    """A picture as wide as it says, whose points one can click; `on_pick` is given the point's `customdata`."""

    def picked() -> None:
        for point in st.session_state[key].selection.points:
            on_pick(point["customdata"])

    config = _config(file_name)
    width = int(figure.layout.width)
    with st.container(key=f"{key} and fingers", gap=None):
        st.plotly_chart(
            figure,
            config=config,
            alt=alt,
            theme="streamlit",
            width=width,
            key=key,
            on_select=picked,
            selection_mode="points",
        )
        FINGERS(key=f"{key} fingers", height=1)


# A picture with points to click catches every finger, and the page would not scroll. A tap is a click all the same.
FINGERS = st.components.v2.component(
    "fingers",
    html="<i></i>",
    js="""
export default function({ parentElement }) {
  const root = parentElement.getRootNode(), around = (root.host || parentElement).closest('[class*="and-fingers"]');
  if (!around) return;
  const pass = (event) => event.stopPropagation();
  around.addEventListener('touchstart', pass, { capture: true, passive: true });
  return () => around.removeEventListener('touchstart', pass, { capture: true });
}
""",
)


def _config(file_name: str) -> dict[str, Any]:
    return {
        "displaylogo": False,
        "scrollZoom": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": "png", "filename": file_name, "scale": 2},
    }
