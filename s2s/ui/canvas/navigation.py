"""Finding one's way by thumb and keyboard, where Streamlit leaves something to be desired."""

from pathlib import Path

import streamlit as st


def mend_navigation(page: str) -> None:
    """Drawn on every page; `page` is its address.

    On a phone the menu closes once a page was chosen; Tab enters a group of choices at the selected one.
    """
    NAVIGATION(key="navigation", data={"page": page}, height=1)


NAVIGATION = st.components.v2.component(
    "navigation",
    html="<i></i>",
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)
