"""Finding one's way by thumb and keyboard, where Streamlit leaves something to be desired."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st


def mend_navigation(page: str, kept: Mapping[str, Mapping[str, str]], step: str) -> None:
    """Draw it on every page to mend its navigation; `page` is its address, `step` the open step of a lesson or empty.

    A new page, or step of a lesson, is shown from its top, and on a phone the menu closes. Tab enters a group of
    choices at the selected one, and an open panel from its button; a menu that the keyboard opens has the focus. A link
    that is opened in another tab says what a click on it keeps: by address, the values that a page takes over. The
    panel of a lesson shows a new step from its heading on, a link that was followed leaves the focus there, and what is
    said of an answer is scrolled into view with the way to the next step.
    """
    NAVIGATION(key="navigation", data={"page": page, "kept": kept, "step": step}, height=1)


NAVIGATION = st.components.v2.component(
    "navigation",
    html="<i></i>",
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)
