"""The short link of a lesson or a class and, on a hosted server, the switch that lets others open a lesson."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from s2s.config import UserError, asker
from s2s.lessons import Lesson, OwnLesson, share_lesson
from s2s.library import sharing
from s2s.links import share
from s2s.links import short as short_links
from s2s.links.short import Content
from s2s.ui.kit import cached, forms, pickers, plain
from s2s.ui.shell.short_link_form import LOCAL_HELP, is_local, reach, show_link, url_of

FAILED = "lesson not shared"  # in the session: why


def show_lesson_link(lesson: Lesson, home: str, of: str, *, id: str = "") -> None:
    """Draw the link that opens a lesson at its first step: a short one if possible.

    `home` is the address of the first page; `id` is of a class; `of` says what the link opens: "the class".
    """
    page = lesson.steps[0].view.page  # which shows the step's view, as the lesson has it then
    values = {share.LESSON: f"{lesson.id}.1"} | ({share.CLASS: id} if id else {})
    try:
        url = url_of(short_links.make(Content(page, values)), home)
    except UserError:
        url = share.link(f"{home}{page}", values)
    help = LOCAL_HELP if is_local(url) else None
    st.caption(f"This link opens {of}, {reach(url)}.", help=help)
    label = f"Copy the {'class' if id else 'lesson'}'s link"
    show_link(url, of, key=f"link {id or lesson.id}", label=label)


def lesson_sharing(row: OwnLesson, home: str) -> None:
    """Draw the sharing switch and the link, and name the steps that others could not open."""
    lesson = row.lesson
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
    show_lesson_link(lesson, home, f"“{plain(lesson.title)}”")
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
