"""Classes, on a hosted server: a link for the participants, and at which step they are, without names."""

from __future__ import annotations

import time

import pandas as pd
import streamlit as st

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
from s2s.ui.kit import as_markdown, forms, plain, polling, unique_names
from s2s.ui.kit.action_button import action_button
from s2s.ui.lessons import teacher
from s2s.ui.lessons.links import home
from s2s.ui.lessons.view_state import STATE, confirm, show_confirmed
from s2s.ui.shell import show_lesson_link

REFRESH_SECONDS = 5
FAILED = "class failed"  # in the session: why it was not opened, or not closed
ABOUT = (
    "Open a class at a lesson and send its link. Participants are asked whether you may see at which step they are and"
    " what they answer. You see numbers, never names; a participant is forgotten after a day, a class with its answers"
    " after a week."
)
UNSHARED = "A lesson of your own is listed once others may open it by its link: Make your own lesson has a switch."
PRIVATE = (
    "Participants cannot open this lesson: it is shared no more. Make your own lesson has a switch."
)


def draw() -> None:
    """Draw one's own classes, and the way to a new one; or the answer key of one."""
    if teacher.shows_key("class"):
        return
    st.caption(ABOUT)
    if why := st.session_state.pop(FAILED, None):
        forms.show_error(why)
    own = own_lessons()
    shared = {row.lesson.id: row.lesson for row in own if row.is_shared}
    titles = {id: row.title for id, row in {**LESSONS, **EXERCISES, **shared}.items()}
    names = unique_names(titles)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Lesson", list(names), format_func=names.__getitem__, key="lesson of class", width=340
        )
        click = action_button("Open a class", key="open class", icon=":material/groups:")
    if click.is_waiting:
        _open(chosen)
        click.done()
        st.rerun()
    show_confirmed("class")
    if len(shared) < len(own):
        st.caption(UNSHARED)
    if not own_classes():
        st.info("You have no class open.", icon=":material/groups:")
        return
    st.fragment(_draw_all, run_every=REFRESH_SECONDS * polling.slowdown())()


def _draw_all() -> None:
    try:
        rows = own_classes()
        private = {each.lesson.id for each in own_lessons() if not each.is_shared}
    except UserError as error:  # the database is away
        forms.show_error(error)
        return
    if not rows or FAILED in st.session_state or STATE.now.key:
        st.rerun()
    for row in rows:
        try:
            _draw(row, is_private=row.lesson in private)
        except UserError as error:  # closed in another tab, or its lesson is gone
            st.caption(as_markdown(str(error)))


def _draw(row: LessonClass, *, is_private: bool) -> None:
    with st.container(border=True):
        try:
            lesson = find_lesson(row.lesson)
        except UserError as error:
            st.markdown(as_markdown(f"A class whose lesson is gone. {error}"))
            _close_button(row)
            return
        opened = time.strftime("%Y-%m-%d %H:%M", time.gmtime(row.created))
        st.subheader(plain(lesson.title), anchor=False)
        st.caption(f"Opened on {opened} UTC, for a week.")
        if is_private:
            st.warning(PRIVATE, icon=":material/lock:")
        show_lesson_link(lesson, home(), "the class", id=row.id)
        _draw_people(participants(row.id), len(lesson.steps))
        teacher.show_results(row.id, lesson)
        with st.container(horizontal=True):
            teacher.key_button("class", row.id)
            _close_button(row)


def _close_button(row: LessonClass) -> None:
    with st.popover("Close the class", icon=":material/close:"):
        st.caption("Its link then opens the lesson alone, and what you see here is deleted.")
        st.button("Close it", key=f"close {row.id}", on_click=_close, args=(row.id,))


def _draw_people(people: list[Participant], n_steps: int) -> None:
    if not people:
        st.caption("Nobody shares their step yet.")
        return
    st.caption(f"Participants who share their step: {len(people)}. The lesson has {n_steps} steps.")
    columns = {
        "number": st.column_config.NumberColumn(width=62),
        "step": st.column_config.ProgressColumn(
            format="%d", min_value=0, max_value=n_steps, width=92
        ),
        "right": st.column_config.NumberColumn(
            width=55, help="How many questions they have answered right."
        ),
        "minutes ago": st.column_config.NumberColumn(width=90, help="Since their last step."),
    }
    st.dataframe(_table(people), hide_index=True, column_config=columns)


def _table(people: list[Participant]) -> pd.DataFrame:
    now = time.time()
    rows = [
        (each.number, each.step, each.n_right, round(max(0.0, now - each.changed) / 60))
        for each in people
    ]
    return pd.DataFrame(rows, columns=["number", "step", "right", "minutes ago"])


def _open(lesson: str) -> None:
    try:
        open_class(lesson)
    except UserError as error:
        st.session_state[FAILED] = error
    else:
        confirm("class", "The class is open. Send its link, or show its QR code.")


def _close(id: str) -> None:
    try:
        close_class(id)
    except UserError as error:
        st.session_state[FAILED] = error
    else:
        confirm("class", "The class is closed, and what you saw of it is deleted.")
