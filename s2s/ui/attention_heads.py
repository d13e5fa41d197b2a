"""Every head of one kind of attention at once: a canvas to click, and a table that says the same."""

from __future__ import annotations

import streamlit as st

from s2s.ui.looking import Asked


def show(asked: Asked) -> None:
    """All heads; a click opens one."""
    st.subheader("All heads", anchor=False)
