"""Lessons of one's own: copied from a shipped one or imported, shared by a link, exported as a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from s2s.config import UserError
from s2s.lessons import (
    EXERCISES,
    LESSONS,
    MAX_TITLE,
    Lesson,
    OpenedStep,
    OwnLesson,
    add_lesson,
    delete_lesson,
    is_empty,
    lesson_file,
    own_lessons,
    restore_lesson,
)
from s2s.ui.kit import (
    file_name,
    forms,
    note_markdown,
    plain,
    shortened,
    undo_row,
    unique_names,
)
from s2s.ui.kit.action_button import action_button
from s2s.ui.lessons import editor, teacher
from s2s.ui.lessons.cards import handout_button
from s2s.ui.lessons.links import home
from s2s.ui.lessons.view_state import STATE, confirm, show_confirmed
from s2s.ui.shell import PAGES, lesson_sharing, pages_to_add, step_link

NUMBER = "n lesson files"  # in the session: how many were given; a new field for the next one
FAILED = "lesson not kept"  # in the session: why
DELETED = "deleted lesson"  # in the session, for Undo
ABOUT = (
    "A lesson of your own has steps: a page as you set it, your note and, if you like, a question that is checked. Open"
    " the first page here; on every page, Share has Add to a lesson, too."
)


def draw() -> None:
    """Draw the list of one's own lessons, or the one that is being edited."""
    if STATE.now.edit:
        editor.draw(STATE.now.edit)
        return
    if teacher.shows_key("lesson"):
        return
    st.caption(ABOUT)
    pages_to_add("", 1)
    if error := st.session_state.pop(FAILED, None):
        forms.show_error(error)
    rows = own_lessons()
    _new({**LESSONS, **EXERCISES} | {row.lesson.id: row.lesson for row in rows})
    _undo()
    if not rows:
        st.info("You have no lesson of your own yet.", icon=":material/school:")
        return
    with st.grid(3, min_column_width=280, border=True) as grid:
        for row in rows:
            with grid.cell():
                _card(row)


def _new(known: Mapping[str, Lesson]) -> None:
    names = unique_names({id: row.title for id, row in known.items()})
    with st.container(horizontal=True, vertical_alignment="bottom", key="new lesson"):
        chosen = st.selectbox(
            "Or begin with",
            list(names),
            format_func=names.__getitem__,
            key="lesson to copy",
            width=340,
        )
        copy = action_button("Make a copy", key="copy lesson", icon=":material/content_copy:")
        with st.popover("Import a file", icon=":material/upload_file:"):
            key = f"lesson file {st.session_state.setdefault(NUMBER, 0)}"
            st.file_uploader("A lesson (JSON)", "json", key=key, on_change=_import, args=(key,))
    if copy.is_waiting:
        _copy(known[chosen])
        copy.done()
        st.rerun()
    show_confirmed("new")


def _card(row: OwnLesson) -> None:
    lesson = row.lesson
    n_steps = 0 if is_empty(lesson) else len(lesson.steps)
    st.subheader(plain(lesson.title), anchor=False)
    st.caption(f"{lesson.minutes} minutes · {n_steps or 'no'} step{'s' * (n_steps != 1)}")
    st.markdown(note_markdown(lesson.summary))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if n_steps:
            label = f"Start: {plain(lesson.name)}"
            step_link(OpenedStep(lesson, 1), label, ":material/play_arrow:")
            with st.popover(
                "Link and QR code",
                icon=":material/qr_code:",
                key=f"link {lesson.id}",
                on_change="rerun",
            ) as box:
                if box.open:
                    lesson_sharing(row, home())
            handout_button(lesson)
            teacher.key_button("lesson", lesson.id)
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
        st.button(
            "Delete",
            key=f"delete {lesson.id}",
            icon=":material/delete:",
            on_click=_delete,
            args=(row,),
        )


def _undo() -> None:
    deleted: OwnLesson | None = st.session_state.get(DELETED)
    if deleted is None:
        return
    undo_row(
        f"“{plain(deleted.lesson.title)}” was deleted.",
        _restore,
        deleted,
        key="undo delete lesson",
    )


def _copy(lesson: Lesson) -> None:
    try:
        made = add_lesson(replace(lesson, title=shortened(f"Copy of {lesson.title}", MAX_TITLE)))
    except UserError as error:
        st.session_state[FAILED] = error
    else:
        confirm("new", f"“{plain(made.title)}” is saved below: yours to change.")


def _import(key: str) -> None:
    file = st.session_state[key]
    if file is None:
        return
    st.session_state[NUMBER] += 1
    try:
        pages = {page.url_path for page in PAGES}
        made = add_lesson(lesson_file.read(file.name, file.getvalue(), pages=pages))
    except UserError as error:
        st.session_state[FAILED] = error
    else:
        confirm("new", f"“{plain(made.title)}” is imported, and saved below.")


def _edit(id: str) -> None:
    st.session_state[DELETED] = None
    STATE.show(edit=id)


def _delete(row: OwnLesson) -> None:
    try:
        delete_lesson(row.lesson.id)
    except UserError as error:
        st.session_state[FAILED] = error
    else:
        st.session_state[DELETED] = row


def _restore(deleted: OwnLesson) -> None:
    try:
        restore_lesson(deleted)
    except UserError as error:
        st.session_state[FAILED] = error
    else:
        st.session_state[DELETED] = None
        confirm("new", f"“{plain(deleted.lesson.title)}” is there again.")
