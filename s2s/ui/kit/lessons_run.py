"""The run of the lessons on pages that show most with it: said where nobody chose it, else offered."""

from __future__ import annotations

import streamlit as st

from s2s.demo import LESSONS
from s2s.ui.kit import pickers, vocabulary


def show(reason: str) -> None:
    """One line: that the page opened on it and why, or a button that shows the page with it."""
    run_id = st.session_state["run"]
    if run_id != LESSONS:
        st.button(
            f"Show with {LESSONS}",
            key="lessons run",
            icon=":material/school:",
            type="tertiary",
            on_click=_show,
            help=f"{reason[:1].upper()}{reason[1:]}",
        )
    elif pickers.STAND_IN in st.session_state:
        st.caption(f"Shown with {LESSONS}: {reason}")


def _show() -> None:
    st.session_state["run"] = LESSONS
    if "src" in st.session_state and not vocabulary.can_read(LESSONS, st.session_state["src"]):
        st.session_state["src"] = next(iter(vocabulary.examples(LESSONS)), "")
