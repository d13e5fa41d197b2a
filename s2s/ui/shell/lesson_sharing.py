"""The link of a lesson of one's own, and on a hosted server the switch that lets others open it."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from s2s.config import UserError, asker
from s2s.lessons import Lesson, OwnLesson, share_lesson
from s2s.library import sharing
from s2s.links import share
from s2s.links import short as short_links
from s2s.links.short import Content, written
from s2s.ui.canvas import copy_button
from s2s.ui.kit import cached, forms, pickers, plain, qr_code
from s2s.ui.shell.reach import LOCAL_HELP, is_local, reach
from s2s.ui.shell.short_link_form import PATH

FAILED = "lesson not shared"  # in the session: why


def lesson_link(lesson: Lesson, home: str) -> str:
    """The full link that opens a lesson at its first step; `home` is the address of the first page."""
    view = lesson.steps[0].view
    return share.link(f"{home}{view.page}", {**view.values, share.LESSON: f"{lesson.id}.1"})


def _short_link(lesson: Lesson, home: str) -> str:
    view = lesson.steps[0].view
    try:
        made = short_links.make(
            Content(view.page, {**view.values, share.LESSON: f"{lesson.id}.1"}, "", "")
        )
    except UserError:
        return lesson_link(lesson, home)
    return f"{home}{PATH}/{written(made.letters)}"


def lesson_sharing(row: OwnLesson, home: str, *, is_short: bool = False) -> None:
    """The link with its button; before it the switch, after it the steps that others could not open."""
    lesson = row.lesson
    link = lesson_link(lesson, home)
    if asker.is_hosted():
        key = f"share lesson {lesson.id}"
        st.session_state[key] = row.is_shared
        st.toggle(
            "Others may open it by its link", key=key, on_change=_share, args=(lesson.id, key)
        )
        if why := st.session_state.pop(FAILED, None):
            forms.show_error(why)
        if not row.is_shared:
            return
    if is_short:
        link = _short_link(lesson, home)
    help = LOCAL_HELP if is_local(link) else None
    st.caption(f"This link opens “{plain(lesson.title)}”, {reach(link)}.", help=help)
    st.code(link, language=None, wrap_lines=True)
    copy_button(
        link, key=f"copy link {lesson.id}", label="Copy the lesson's link", is_primary=is_short
    )
    if is_short and not is_local(link):
        with st.container(width=150):
            qr_code(link, "the lesson")
    for number, run in _private_runs(lesson) if asker.is_hosted() else ():
        st.warning(
            f"Step {number} shows your run {plain(cached.title(run))}, which nobody else may open. Open that step and"
            " press Share: this shares the run.",
            icon=":material/lock:",
        )


def _private_runs(lesson: Lesson) -> Iterator[tuple[int, str]]:
    seen = set()
    for number, step in enumerate(lesson.steps, 1):
        values = step.view.values
        columns = [share.Column.read(values[key]).run for key in share.COLUMNS if key in values]
        for run in (pickers.run_id_of(values.get("run", "")), *columns):
            if run in seen or not cached.is_own(run) or sharing.sharing("run", run).link:
                continue
            seen.add(run)
            yield number, run


def _share(id: str, key: str) -> None:
    try:
        share_lesson(id, is_shared=bool(st.session_state[key]))
    except UserError as error:
        st.session_state[FAILED] = error
