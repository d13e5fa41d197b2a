"""A container whose charts let the page scroll under a finger."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import streamlit as st


@contextlib.contextmanager
def touch_scrolling(key: str) -> Iterator[None]:
    """Within it, what is drawn can be tapped and does not catch the page's scrolling."""
    with st.container(key=f"{key} and touch", gap=None):
        yield
        TOUCH(key=f"{key} touch", height=1)


TOUCH = st.components.v2.component(
    "touch",
    html="<i></i>",
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)
