"""Where a visitor begins who came without a link: in the lesson that they have begun, or in the first one."""

from __future__ import annotations

import streamlit as st

from s2s import share
from s2s.config import UserError
from s2s.lessons import LESSONS, OpenedStep
from s2s.ui.shell import lesson_progress, step_link

ICON = ":material/school:"


def way_in() -> None:
    """Nothing above a shared link's picture, nor beside an open lesson."""
    if "v" in st.query_params or st.session_state.get(share.LESSON):
        return
    try:
        done = lesson_progress()
    except UserError:  # the database is away, as the page Lessons says
        done = {}
    for lesson in LESSONS.values():
        seen = done[lesson.id].answers if lesson.id in done else {}
        if 0 < len(seen) < len(lesson.steps):
            at = OpenedStep(lesson, max(seen))
            step_link(at, f"Continue: {lesson.title}, step {at.number}", ICON)
            return
    if not done:
        step_link(OpenedStep(LESSONS["five-minutes"], 1), "New here? Begin with five minutes", ICON)
