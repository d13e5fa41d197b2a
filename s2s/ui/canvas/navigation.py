"""Finding one's way by thumb and keyboard, where Streamlit leaves something to be desired."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st


def mend_navigation(page: str, kept: Mapping[str, Mapping[str, str]]) -> None:
    """Drawn on every page; `page` is its address.

    On a phone the menu closes once a page was chosen; Tab enters a group of choices at the selected one. A link that
    is opened in another tab says what a click on it keeps: by address, the values that a page takes over.
    """
    NAVIGATION(key="navigation", data={"page": page, "kept": kept}, height=1)


NAVIGATION = st.components.v2.component(
    "navigation",
    html="<i></i>",
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)
