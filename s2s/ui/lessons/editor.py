"""A lesson of one's own, changed: its words, its steps and their order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from s2s import lessons
from s2s.config import UserError
from s2s.lessons import (
    MAX_NOTE,
    MAX_SUMMARY,
    MAX_TITLE,
    Lesson,
    OwnLesson,
    Step,
    lesson_file,
)
from s2s.ui.kit import forms, plain
from s2s.ui.lessons.view_state import STATE
from s2s.ui.shell import PAGES

FAILED = "lesson not changed"  # in the session: why
ABOUT = "“Add this view to a lesson”, under Share on a page, adds a step. Questions are written in the exported file."


def draw(id: str) -> None:
    """Raises UserError where the visitor has no such lesson."""
    st.button(
        "Back to your lessons", key="close editor", icon=":material/arrow_back:", on_click=close
    )
    lesson = _own(id).lesson
    if error := st.session_state.pop(FAILED, None):
        forms.show_error(error)
    _words(lesson)
    st.caption(ABOUT)
    for number, step in enumerate(lesson.steps, 1):
        with st.expander(f"{number} · {plain(step.title)}", key=f"{_key(lesson)} step {number}"):
            _step(lesson, number, step)


def close() -> None:
    """Shows the list again."""
    STATE.show(edit="")


def _own(id: str) -> OwnLesson:
    """One's own lesson; of what others made and shared, there is nothing to change."""
    found = next((each for each in lessons.own_lessons() if each.lesson.id == id), None)
    if found is None:
        raise UserError(f"You have no lesson `{id}` (any more); go back and choose one of yours.")
    return found


def _key(lesson: Lesson) -> str:
    return f"edit {lesson.id} {len(lesson.steps)}"


def _words(lesson: Lesson) -> None:
    with st.form(f"words {lesson.id}"):
        title = st.text_input("Title", lesson.title, max_chars=MAX_TITLE)
        summary = st.text_input("Summary", lesson.summary, max_chars=MAX_SUMMARY)
        minutes = st.number_input("Minutes", 1, 600, lesson.minutes, width=150)
        if st.form_submit_button("Save", icon=":material/save:"):
            _change(lambda: replace(lesson, title=title, summary=summary, minutes=int(minutes)))


def _step(lesson: Lesson, number: int, step: Step) -> None:
    with st.form(f"{_key(lesson)} form {number}", border=False):
        title = st.text_input("Title", step.title, max_chars=MAX_TITLE)
        note = st.text_area("Note", step.note, max_chars=MAX_NOTE, height=160)
        link = st.text_input(
            "View", lesson_file.link(step.view), help="A link within this program."
        )
        hidden = st.text_input(
            "Hidden controls",
            ", ".join(step.hidden),
            help="Names with commas between, such as `chips`, `layer`, `head` or `reduce`.",
        )
        if st.form_submit_button("Save the step", icon=":material/save:"):
            pages = {page.url_path for page in PAGES}
            names = tuple(name.strip() for name in hidden.split(",") if name.strip())
            _change(
                lambda: _with_step(
                    lesson,
                    number,
                    replace(
                        step,
                        title=title,
                        note=note,
                        view=lesson_file.view_of(link, pages),
                        hidden=names,
                    ),
                )
            )
    _order(lesson, number)


def _order(lesson: Lesson, number: int) -> None:
    """Moves and deletes a step."""
    last = len(lesson.steps)
    rows = (
        ("Move up", ":material/arrow_upward:", number > 1, _moved(lesson, number, -1)),
        ("Move down", ":material/arrow_downward:", number < last, _moved(lesson, number, 1)),
        ("Delete the step", ":material/delete:", last > 1, _without(lesson, number)),
    )
    with st.container(horizontal=True, gap="small"):
        for label, icon, is_possible, steps in rows:
            st.button(
                label,
                key=f"{_key(lesson)} {label} {number}",
                icon=icon,
                disabled=not is_possible,
                on_click=_set_steps,
                args=(lesson, steps),
            )


def _with_step(lesson: Lesson, number: int, step: Step) -> Lesson:
    steps = (*lesson.steps[: number - 1], step, *lesson.steps[number:])
    return replace(lesson, steps=steps)


def _moved(lesson: Lesson, number: int, by: int) -> tuple[Step, ...]:
    steps = list(lesson.steps)
    step = steps.pop(number - 1)
    steps.insert(max(0, number - 1 + by), step)
    return tuple(steps)


def _without(lesson: Lesson, number: int) -> tuple[Step, ...]:
    return (*lesson.steps[: number - 1], *lesson.steps[number:])


def _set_steps(lesson: Lesson, steps: tuple[Step, ...]) -> None:
    try:
        lessons.change_lesson(replace(lesson, steps=steps))
    except UserError as error:
        st.session_state[FAILED] = error


def _change(make: Callable[[], Lesson]) -> None:
    """Keeps the changed lesson and shows it, or says what is wrong and keeps what was typed."""
    try:
        lessons.change_lesson(make())
    except UserError as error:
        forms.show_error(error)
    else:
        st.toast("Saved.", icon=":material/check:")
        st.rerun()
