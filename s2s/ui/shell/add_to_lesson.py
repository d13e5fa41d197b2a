"""Below Share: the page's view as a step of a lesson of one's own."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from s2s import lessons
from s2s.config import UserError
from s2s.lessons import MAX_NOTE, MAX_TITLE, Lesson, Step, View
from s2s.ui.kit import address, forms, plain
from s2s.ui.shell.pages import LESSONS, Page

# in the session
OPEN = "add to lesson"
CHOSEN = "lesson to add to"
LESSON_TITLE = "title of new lesson"
TITLE = "title of new step"
NOTE = "note of new step"
FAILED = "step not added"  # why
ADDED = "step added"

NEW = ""  # in place of a lesson's id
MINUTES = 10  # of a new lesson, until its owner says otherwise


@st.fragment
def add_to_lesson(page: Page) -> None:
    """The form, once it is asked for; the page Lessons itself is no view of a lesson."""
    if page.url_path == LESSONS:
        return
    is_open = st.toggle("Add this view to a lesson", key=OPEN)
    if st.session_state.pop(ADDED, False):
        st.success("Added. The page Lessons, Make your own, has it.", icon=":material/check:")
    if not is_open:
        return
    try:
        own = {each.lesson.id: plain(each.lesson.title) for each in lessons.own_lessons()}
    except UserError as error:
        forms.show_error(error)
        return
    names = {**own, NEW: "A new lesson"}
    if not st.selectbox("Lesson", list(names), format_func=names.__getitem__, key=CHOSEN):
        st.text_input("Title of the lesson", key=LESSON_TITLE, max_chars=MAX_TITLE)
    st.text_input("Title of the step", key=TITLE, max_chars=MAX_TITLE)
    st.text_area(
        "Note",
        key=NOTE,
        max_chars=MAX_NOTE,
        help="Paragraphs, lists, **bold**, *italics* and `code`. Say first what to look at.",
    )
    st.button("Add", key="add step", icon=":material/add:", on_click=_add, args=(page,))
    if why := st.session_state.pop(FAILED, None):
        forms.show_error(why)


def _add(page: Page) -> None:
    """Appends the step to a lesson, or begins one with it."""
    chosen, name, title, note = (
        str(st.session_state.get(key) or "") for key in (CHOSEN, LESSON_TITLE, TITLE, NOTE)
    )
    try:
        step = Step(title, note, View(page.url_path, address.view_values(page.keys)))
        if chosen:
            lesson = lessons.find_lesson(chosen)
            lessons.change_lesson(replace(lesson, steps=(*lesson.steps, step)))
        else:
            lessons.add_lesson(Lesson("new", name, name, MINUTES, (step,)))
    except UserError as error:
        st.session_state[FAILED] = error
        return
    st.session_state[OPEN] = False
    st.session_state[ADDED] = True
    for key in (LESSON_TITLE, TITLE, NOTE):
        st.session_state[key] = ""
