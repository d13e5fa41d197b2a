"""Below Share: the page's view as a step of a lesson of one's own."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from s2s import lessons
from s2s.config import UserError
from s2s.lessons import MAX_NOTE, MAX_TITLE, Lesson, Step, View
from s2s.ui.kit import address, forms, plain, unique_names
from s2s.ui.shell.pages import LESSONS, Page, page_link

# in the session
CHOSEN = "lesson to add to"
LESSON_TITLE = "title of new lesson"
TITLE = "title of new step"
NOTE = "note of new step"
FAILED = "step not added"  # why
ADDED = "step added"  # to which lesson

NEW = ""  # in the list, in place of a lesson's id
MINUTES = 10  # of a new lesson, until its owner says otherwise


@st.fragment
def add_to_lesson(page: Page) -> None:
    """The form, and once what was added by it."""
    if added := st.session_state.pop(ADDED, None):
        _show_added(added)
    try:
        own = {each.lesson.id: each.lesson.title for each in lessons.own_lessons()}
    except UserError as error:
        forms.show_error(error)
        return
    names = {**unique_names(own), NEW: "A new lesson"}
    if st.session_state.get(CHOSEN) not in names:  # it was deleted
        st.session_state.pop(CHOSEN, None)
    if not st.selectbox("Lesson", list(names), format_func=names.__getitem__, key=CHOSEN):
        _line("Title of the lesson", LESSON_TITLE)
    _line("Title of the step", TITLE)
    st.text_area(
        "What the student should look at",
        key=NOTE,
        max_chars=MAX_NOTE,
        help="The note of the step: paragraphs, lists, **bold**, *italics* and `code`.",
        persist_state="session",
    )
    st.button(
        "Add",
        key="add step",
        icon=":material/add:",
        type="primary",
        on_click=_add,
        args=(page,),
    )
    if why := st.session_state.pop(FAILED, None):
        forms.show_error(why)


def _line(label: str, key: str) -> None:
    st.text_input(label, key=key, max_chars=MAX_TITLE, persist_state="session")


def _show_added(lesson: Lesson) -> None:
    st.success(f"Added to “{plain(lesson.title)}”.", icon=":material/check:")
    page_link(LESSONS, "Edit that lesson", ":material/edit:", set=f"view:own,edit:{lesson.id}")


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
            lesson = lessons.add_lesson(Lesson("new", name, name, MINUTES, (step,)))
    except UserError as error:
        st.session_state[FAILED] = error
        return
    st.session_state[ADDED] = lesson
    st.session_state[CHOSEN] = lesson.id
    for key in (LESSON_TITLE, TITLE, NOTE):
        st.session_state[key] = ""
