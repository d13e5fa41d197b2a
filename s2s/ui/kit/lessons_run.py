"""The run of the lessons on pages that show most with it: said where nobody chose it, else offered."""

from __future__ import annotations

import streamlit as st

from s2s.demo import LESSONS
from s2s.questions import GoldOf
from s2s.runs import Run
from s2s.ui.kit import cached, pickers, vocabulary


def show(reason: str) -> None:
    """Say why the page shows the run of the lessons, or draw a button that switches to it."""
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


def show_without_gold(run: Run) -> None:
    """Draw the line of `show` where this run has no gold alignment that the visitor may see, or is itself that of the
    lessons.
    """
    known = GoldOf(cached.named(run))
    if run.folder.id == LESSONS or not cached.SCREEN.answer(known).targets:
        show("the right links between its words are known.")


def _show() -> None:
    st.session_state["run"] = LESSONS
    if "src" in st.session_state and not vocabulary.can_read(LESSONS, st.session_state["src"]):
        st.session_state["src"] = next(iter(vocabulary.examples(LESSONS)), "")
