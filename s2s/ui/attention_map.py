"""One picture of attention: the heatmap, how to read it, its numbers."""

from __future__ import annotations

import streamlit as st

from s2s.ui import reading
from s2s.ui.looking import Asked
from s2s.ui.pages import link


def show(asked: Asked) -> None:
    """The heatmap and what to make of it."""
    title = reading.picture(asked.run, asked.which.kind, asked.shown)
    if asked.note:
        st.caption(asked.note)
    reading.how(asked.which.kind, asked.shown)
    with st.container(horizontal=True, vertical_alignment="center"):
        reading.download(asked.shown, title)
        link("compare", "How it was decoded", src=asked.text)
