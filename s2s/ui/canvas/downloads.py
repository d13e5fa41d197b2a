"""Downloads and buttons with a link in a frame of another site."""

from pathlib import Path

import streamlit as st


def mend_downloads() -> None:
    """In a frame of another site, make downloads use the frame's own cookies."""
    DOWNLOADS(key="downloads", height=1)


DOWNLOADS = st.components.v2.component(
    "downloads",
    html="<i></i>",
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)
