"""Lessons of one's own: copied from a shipped one or imported, shared by a link, exported as a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import streamlit as st

from s2s import access, settings, share
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
    lesson_file,
    own_lessons,
    restore_lesson,
    share_lesson,
)
from s2s.ui.canvas import copy_button
from s2s.ui.kit import (
    cached,
    file_name,
    forms,
    note_markdown,
    pickers,
    plain,
    shortened,
    unique_names,
)
from s2s.ui.lessons import editor
from s2s.ui.lessons.cards import handout_button
from s2s.ui.lessons.links import lesson_link
from s2s.ui.lessons.view_state import STATE
from s2s.ui.shell import PAGES, step_link

NUMBER = "n lesson files"  # in the session: how many were given; a new field for the next one
FAILED = "lesson not kept"  # in the session: why
DELETED = "deleted lesson"  # in the session, for Undo
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
    rows = own_lessons()
    _new({**LESSONS, **EXERCISES} | {row.lesson.id: row.lesson for row in rows})
    _undo()
    if not rows:
        st.info(
            "You have no lesson of your own yet. On any page, press Share, then Add to a lesson; or copy a lesson, or"
            " import a file.",
            icon=":material/school:",
        )
        return
    with st.grid(3, min_column_width=280, border=True) as grid:
        for row in rows:
            with grid.cell():
                _card(row)


def _new(known: Mapping[str, Lesson]) -> None:
    """`known` may be copied."""
    names = unique_names({id: row.title for id, row in known.items()})
    with st.container(horizontal=True, vertical_alignment="bottom", key="new lesson"):
        chosen = st.selectbox(
            "Begin with",
            list(names),
            format_func=names.__getitem__,
            key="lesson to copy",
            width=340,
        )
        st.button(
            "Make a copy",
            key="copy lesson",
            icon=":material/content_copy:",
            on_click=_copy,
            args=(known[chosen],),
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
        st.button(
            "Delete",
            key=f"delete {lesson.id}",
            icon=":material/delete:",
            on_click=_delete,
            args=(row,),
        )
    if settings.is_hosted():
        _sharing(row)


def _sharing(row: OwnLesson) -> None:
    """The switch, then the link, and the steps that others could not open."""
    lesson = row.lesson
    key = f"share lesson {lesson.id}"
    st.session_state[key] = row.is_shared
    st.toggle("Anyone with its link may open it", key=key, on_change=_share, args=(lesson.id, key))
    if not row.is_shared:
        return
    link = lesson_link(lesson)
    st.code(link, language=None, wrap_lines=True)
    copy_button(link, key=f"copy link {lesson.id}")
    for number, run in _private_runs(lesson):
        st.warning(
            f"Step {number} shows your run {plain(cached.title(run))}, which nobody else may open. Open that step and"
            " press Share: this shares the run.",
            icon=":material/lock:",
        )


def _private_runs(lesson: Lesson) -> Iterator[tuple[int, str]]:
    """The visitor's own runs that the lesson shows and that are not shared, each with its first step."""
    seen = set()
    for number, step in enumerate(lesson.steps, 1):
        values = step.view.values
        columns = [share.Column.read(values[key]).run for key in share.COLUMNS if key in values]
        for run in (pickers.run_id_of(values.get("run", "")), *columns):
            if run in seen or not cached.is_own(run) or access.sharing("run", run).link:
                continue
            seen.add(run)
            yield number, run


def _undo() -> None:
    """Offers the lesson that was deleted last."""
    deleted: OwnLesson | None = st.session_state.get(DELETED)
    if deleted is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"“{plain(deleted.lesson.title)}” was deleted.", width="content")
        st.button(
            "Undo",
            key="undo delete lesson",
            icon=":material/undo:",
            on_click=_restore,
            args=(deleted,),
        )


def _copy(lesson: Lesson) -> None:
    try:
        add_lesson(replace(lesson, title=shortened(f"Copy of {lesson.title}", MAX_TITLE)))
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
    st.session_state[DELETED] = None
    STATE.show(edit=id)


def _share(id: str, key: str) -> None:
    try:
        share_lesson(id, is_shared=bool(st.session_state[key]))
    except UserError as error:
        st.session_state[FAILED] = error


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
