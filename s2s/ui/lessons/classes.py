"""Classes, on a hosted server: a link for the participants, and at which step they are, without names."""

from __future__ import annotations

import time

import pandas as pd
import streamlit as st

from s2s import share
from s2s.config import UserError
from s2s.lessons import (
    EXERCISES,
    LESSONS,
    LessonClass,
    Participant,
    close_class,
    find_lesson,
    open_class,
    own_classes,
    own_lessons,
    participants,
)
from s2s.ui.canvas import copy_button
from s2s.ui.kit import as_markdown, forms, plain, polling
from s2s.ui.lessons.given_view import home
from s2s.ui.shell import CLASS

REFRESH_SECONDS = 5
FAILED = "class not closed"  # in the session: why
ABOUT = (
    "Open a class at a lesson and send its link. Participants are asked whether you may see at which step they are. You"
    " see numbers, never names; a participant is forgotten after a day, a class after a week."
)


def draw() -> None:
    """One's own classes, and the way to a new one."""
    st.caption(ABOUT)
    titles = {id: row.title for id, row in {**LESSONS, **EXERCISES}.items()}
    titles |= {row.lesson.id: row.lesson.title for row in own_lessons() if row.is_shared}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Lesson", list(titles), format_func=titles.__getitem__, key="lesson of class", width=340
        )
        st.button("Open a class", key="open class", on_click=_open, args=(chosen,))
    if not own_classes():
        st.info("You have no class open.", icon=":material/groups:")
        return
    st.fragment(_draw_all, run_every=REFRESH_SECONDS * polling.slowdown())()


def _draw_all() -> None:
    if why := st.session_state.pop(FAILED, None):
        forms.show_error(why)
    for row in own_classes():
        try:
            _draw(row)
        except UserError as error:  # closed in another tab, or its lesson is gone
            st.caption(as_markdown(str(error)))


def _draw(row: LessonClass) -> None:
    lesson = find_lesson(row.lesson)
    view = lesson.steps[0].view
    link = share.link(f"{home()}{view.page}", {**view.values, share.LESSON: f"{lesson.id}.1"})
    link = f"{link}&{CLASS}={row.id}"
    with st.container(border=True):
        st.subheader(plain(lesson.title), anchor=False)
        st.code(link, language=None, wrap_lines=True)
        with st.container(horizontal=True, vertical_alignment="center"):
            copy_button(link, key=f"copy class {row.id}")
            st.button("Close the class", key=f"close {row.id}", on_click=_close, args=(row.id,))
        people = participants(row.id)
        if not people:
            st.caption("Nobody shares their step yet.")
            return
        n_steps = len(lesson.steps)
        st.caption(
            f"Participants who share their step: {len(people)}. The lesson has {n_steps} steps."
        )
        step = st.column_config.ProgressColumn("step", format="%d", min_value=0, max_value=n_steps)
        st.dataframe(_table(people), hide_index=True, column_config={"step": step})


def _table(people: list[Participant]) -> pd.DataFrame:
    now = time.time()
    rows = [
        (each.number, each.step, each.n_right, round(max(0.0, now - each.changed) / 60))
        for each in people
    ]
    return pd.DataFrame(rows, columns=["participant", "step", "right answers", "minutes ago"])


def _open(lesson: str) -> None:
    try:
        open_class(lesson)
    except UserError as error:
        st.toast(as_markdown(str(error)), icon=":material/error:")


def _close(id: str) -> None:
    try:
        close_class(id)
    except UserError as error:
        st.session_state[FAILED] = error
