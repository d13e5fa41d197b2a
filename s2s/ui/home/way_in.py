"""Where a visitor who came without a link begins: in the lesson that they have begun, in the next, or in the first."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from s2s.config import UserError
from s2s.lessons import LESSONS, LessonProgress, OpenedStep, lesson_after
from s2s.links import share
from s2s.ui.shell import lesson_progress, step_link

ICON = ":material/school:"


def way_in() -> None:
    """Draw links that continue lessons in progress, unless a shared picture or a lesson is open."""
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
        with st.container(key="start", width="content"):
            step_link(OpenedStep(LESSONS["five-minutes"], 1), "Start: five minutes", ICON)
    _after_the_last_seen(done)


def _after_the_last_seen(done: Mapping[str, LessonProgress]) -> None:
    begun = [lesson for lesson in LESSONS.values() if lesson.id in done]
    if not begun:
        return
    last = begun[-1]
    if unanswered := done[last.id].open_questions(last):
        number = unanswered[0]
        label = f"Continue: {last.title}, open question at step {number}"
        step_link(OpenedStep(last, number), label, ICON)
    elif after := lesson_after(last):
        step_link(OpenedStep(after, 1), f"Next lesson: {after.title}", ICON)
