"""Lessons of one's own: copied from a shipped one or imported, shared by a link, exported as a file."""

from __future__ import annotations

import streamlit as st

from s2s import settings
from s2s.config import UserError
from s2s.lessons import (
    EXERCISES,
    LESSONS,
    OpenedStep,
    OwnLesson,
    add_lesson,
    delete_lesson,
    lesson_file,
    own_lessons,
    share_lesson,
)
from s2s.ui.kit import as_markdown, file_name, forms, note_markdown, plain
from s2s.ui.lessons import editor
from s2s.ui.lessons.cards import handout_button
from s2s.ui.lessons.view_state import STATE
from s2s.ui.shell import PAGES, step_link

NUMBER = "n lesson files"  # in the session: how many were given; a new field for the next one
FAILED = "lesson not kept"  # in the session: why
ABOUT = (
    "A lesson of your own has steps: a view, a note and, if you like, a question that is checked. Begin with the view"
    " of any page (Share, Add to a lesson), with a copy, or with a file."
)


def draw() -> None:
    """One's own lessons, and the ways to a new one; or the one that is changed."""
    if STATE.now.edit:
        editor.draw(STATE.now.edit)
        return
    st.caption(ABOUT)
    if error := st.session_state.pop(FAILED, None):
        forms.show_error(error)
    _new()
    rows = own_lessons()
    if not rows:
        st.info(
            "You have no lesson of your own yet; copy one, or import a file.",
            icon=":material/school:",
        )
        return
    with st.grid(3, min_column_width=280, border=True) as grid:
        for row in rows:
            with grid.cell():
                _card(row)


def _new() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="new lesson"):
        shipped = {**LESSONS, **EXERCISES}
        chosen = st.selectbox(
            "Begin with",
            list(shipped),
            format_func=lambda id: shipped[id].title,
            key="lesson to copy",
            width=340,
        )
        st.button(
            "Copy",
            key="copy lesson",
            icon=":material/content_copy:",
            on_click=_copy,
            args=(chosen,),
        )
        with st.popover("Import a file", icon=":material/upload_file:"):
            key = f"lesson file {st.session_state.setdefault(NUMBER, 0)}"
            st.file_uploader("A lesson (JSON)", "json", key=key, on_change=_import, args=(key,))


def _card(row: OwnLesson) -> None:
    lesson = row.lesson
    n_steps = len(lesson.steps)
    st.subheader(plain(lesson.title), anchor=False)
    st.caption(f"{lesson.minutes} minutes · {n_steps} step{'s' * (n_steps > 1)}")
    st.markdown(note_markdown(lesson.summary))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        step_link(OpenedStep(lesson, 1), f"Start: {plain(lesson.name)}", ":material/play_arrow:")
        handout_button(lesson)
        st.download_button(
            "Export",
            lesson_file.write(lesson),
            f"{file_name(lesson.title)}.json",
            "application/json",
            key=f"export {lesson.id}",
            on_click="ignore",
            icon=":material/download:",
        )
        st.button(
            "Edit",
            key=f"edit {lesson.id}",
            icon=":material/edit:",
            on_click=_edit,
            args=(lesson.id,),
        )
        with st.popover("Delete", icon=":material/delete:"):
            st.button(
                "Delete permanently", key=f"delete {lesson.id}", on_click=_delete, args=(lesson.id,)
            )
    if settings.is_hosted():
        key = f"share lesson {lesson.id}"
        st.session_state[key] = row.is_shared
        st.toggle(
            "Anyone with its link may open it", key=key, on_change=_share, args=(lesson.id, key)
        )


def _copy(id: str) -> None:
    try:
        add_lesson({**LESSONS, **EXERCISES}[id])
    except UserError as error:
        st.session_state[FAILED] = error


def _import(key: str) -> None:
    file = st.session_state[key]
    if file is None:
        return
    st.session_state[NUMBER] += 1
    try:
        pages = {page.url_path for page in PAGES}
        add_lesson(lesson_file.read(file.getvalue(), id="imported", pages=pages))
    except UserError as error:
        st.session_state[FAILED] = error


def _edit(id: str) -> None:
    STATE.show(edit=id)


def _share(id: str, key: str) -> None:
    try:
        share_lesson(id, is_shared=bool(st.session_state[key]))
    except UserError as error:
        st.toast(as_markdown(str(error)), icon=":material/error:")


def _delete(id: str) -> None:
    try:
        delete_lesson(id)
    except UserError as error:
        st.toast(as_markdown(str(error)), icon=":material/error:")
