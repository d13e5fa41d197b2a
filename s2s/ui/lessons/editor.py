"""The editor of a lesson of one's own: its words, its steps, their order and their questions."""

from __future__ import annotations

import hashlib
import json
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
    OpenedStep,
    OwnLesson,
    Step,
    lesson_file,
)
from s2s.ui.kit import forms, plain, question_fields, undo_row
from s2s.ui.lessons.links import given_view, home
from s2s.ui.lessons.view_state import STATE, confirm, show_confirmed
from s2s.ui.shell import lesson_sharing, page, pages_to_add, step_link

# in the session
FAILED = "lesson not changed"  # why
NEWEST = "newest step"  # its number, once it was added
DELETED = "deleted step"  # with its lesson's id and its number, for Undo
VIEW_HELP = "What Share gives on a page: its full link, a short link of this server, or `/attention?src=the+cat`."


def draw(id: str) -> None:
    """Draw the editor of a lesson. Raises UserError where the visitor has no such lesson."""
    st.button(
        "Back to your lessons", key="close editor", icon=":material/arrow_back:", on_click=close
    )
    own = _own(id)
    lesson = own.lesson
    if error := st.session_state.pop(FAILED, None):
        forms.show_error(error)
    _words(lesson)
    if lessons.is_empty(lesson):
        _more_steps(lesson)
        return
    lesson_sharing(own, home())
    _undo(lesson)
    steps, chosen = st.columns([1, 2])
    with steps:
        number = _chosen_step(lesson)
        _more_steps(lesson)
    with chosen, st.container(border=True):
        st.fragment(_step)(lesson, number)
        _order(lesson, number)


def close() -> None:
    """Close the editor: the list is shown again."""
    STATE.show(edit="")


def _own(id: str) -> OwnLesson:
    found = next((each for each in lessons.own_lessons() if each.lesson.id == id), None)
    if found is None:
        raise UserError(f"You have no lesson `{id}` (any more); go back and choose one of yours.")
    return found


def _words(lesson: Lesson) -> None:
    with st.form(f"words {lesson.id}"):
        with st.container(horizontal=True):
            title = st.text_input("Title of the lesson", lesson.title, max_chars=MAX_TITLE)
            minutes = st.number_input("Minutes", 1, 600, lesson.minutes, width=150)
        summary = st.text_input("Summary", lesson.summary, max_chars=MAX_SUMMARY)
        if st.form_submit_button("Save", icon=":material/save:"):
            _change(
                lesson,
                lambda: replace(lesson, title=title, summary=summary, minutes=int(minutes)),
                "words",
                "Title, minutes and summary are saved.",
            )
    show_confirmed("words")


def _more_steps(lesson: Lesson) -> None:
    """Draw the ways to one more step: a page that is opened now, or a link."""
    pages_to_add(lesson.id, 1 if lessons.is_empty(lesson) else len(lesson.steps) + 1)
    with st.expander("Or paste a link", icon=":material/link:"):
        _new_step(lesson)


def _new_step(lesson: Lesson) -> None:
    with st.form(f"new step {lesson.id} {len(lesson.steps)}"):
        link = st.text_input("Link of a view", help=VIEW_HELP, placeholder="/attention?src=the+cat")
        if not st.form_submit_button("Add a step", icon=":material/add:"):
            return
    try:
        view = given_view(link, home())
        changed = lessons.add_step(lesson.id, Step(page(view.page).title, "", view))
    except UserError as error:
        forms.show_error(error)
        return
    st.session_state[NEWEST] = len(changed.steps)
    st.session_state[DELETED] = None
    confirm("order", f"Step {len(changed.steps)} is added; its note is still to be written.")
    st.rerun()


def _chosen_step(lesson: Lesson) -> int:
    key = _step_key(lesson)
    numbers = list(range(1, len(lesson.steps) + 1))
    chosen = st.session_state.pop(NEWEST, None) or st.session_state.get(key) or 1
    st.session_state[key] = min(int(chosen), len(numbers))

    def label(number: int) -> str:
        step = lesson.steps[number - 1]
        return f"{number} · {plain(step.title)}{' :material/help:' if step.question else ''}"

    return st.radio("Steps", numbers, format_func=label, key=key, persist_state="session")


def _step_key(lesson: Lesson) -> str:
    return f"edited step {lesson.id}"


def _step(lesson: Lesson, number: int) -> None:
    step = lesson.steps[number - 1]
    key = _key(lesson, number)
    title = st.text_input(
        "Title of the step",
        step.title,
        max_chars=MAX_TITLE,
        key=f"{key} title",
        persist_state="session",
    )
    note = st.text_area(
        "Note",
        step.note,
        max_chars=MAX_NOTE,
        height=160,
        key=f"{key} note",
        help="Paragraphs, lists, **bold**, *italics* and `code`. Say first what to look at.",
        persist_state="session",
    )
    link = st.text_input(
        "View",
        lesson_file.link(step.view),
        key=f"{key} view",
        help=VIEW_HELP,
        persist_state="session",
    )
    hidden = st.text_input(
        "Hidden controls",
        ", ".join(step.hidden),
        key=f"{key} hidden",
        help="Names with commas between, such as `chips`, `layer`, `head` or `reduce`.",
        persist_state="session",
    )
    make = question_fields(key, step.question)
    is_saved = st.button("Save the step", key=f"{key} save", icon=":material/save:", type="primary")
    show_confirmed("step")
    if not is_saved:
        return
    names = tuple(name.strip() for name in hidden.split(",") if name.strip())
    _change(
        lesson,
        lambda: _with_step(
            lesson,
            number,
            Step(title, note, given_view(link, home()), names, make()),
        ),
        "step",
        f"Step {number} is saved as it stands here.",
    )


def _key(lesson: Lesson, number: int) -> str:
    written = [json.dumps(each) for each in lesson_file.to_json(lesson)["steps"]]
    mine = written[number - 1]
    n_equal = written[: number - 1].count(mine)
    return f"{lesson.id} {hashlib.sha256(mine.encode()).hexdigest()[:12]} {n_equal}"


def _order(lesson: Lesson, number: int) -> None:
    last = len(lesson.steps)
    step = lesson.steps[number - 1]
    rest = _without(lesson, number)
    rows: tuple[tuple[str, str, bool, int, tuple[Step, ...]], ...] = (
        ("Move up", "arrow_upward", number > 1, number - 1, _inserted(rest, number - 1, step)),
        (
            "Move down",
            "arrow_downward",
            number < last,
            number + 1,
            _inserted(rest, number + 1, step),
        ),
        ("Duplicate", "content_copy", True, number + 1, _inserted(lesson.steps, number + 1, step)),
    )
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        step_link(OpenedStep(lesson, number), "Open the step", ":material/play_arrow:")
        for label, icon, is_possible, then, steps in rows:
            st.button(
                label,
                key=f"{label} {lesson.id}",
                icon=f":material/{icon}:",
                disabled=not is_possible,
                on_click=_set_steps,
                args=(lesson, steps, then, f"This is step {then} now."),
            )
        st.button(
            "Delete the step",
            key=f"Delete {lesson.id}",
            icon=":material/delete:",
            disabled=last == 1,
            on_click=_set_steps,
            args=(lesson, rest, number, "", (lesson.id, number, step)),
        )
    show_confirmed("order")


def _with_step(lesson: Lesson, number: int, step: Step) -> Lesson:
    steps = (*lesson.steps[: number - 1], step, *lesson.steps[number:])
    return replace(lesson, steps=steps)


def _inserted(steps: tuple[Step, ...], number: int, step: Step) -> tuple[Step, ...]:
    at = max(0, number - 1)
    return (*steps[:at], step, *steps[at:])


def _without(lesson: Lesson, number: int) -> tuple[Step, ...]:
    return (*lesson.steps[: number - 1], *lesson.steps[number:])


def _undo(lesson: Lesson) -> None:
    deleted: tuple[str, int, Step] | None = st.session_state.get(DELETED)
    if deleted is None or deleted[0] != lesson.id:
        return
    _, number, step = deleted
    undo_row(
        f"The step “{plain(step.title)}” was deleted.",
        _set_steps,
        lesson,
        _inserted(lesson.steps, number, step),
        number,
        f"Step {number} is there again.",
        key="undo delete step",
    )


def _set_steps(
    lesson: Lesson,
    steps: tuple[Step, ...],
    then: int,
    said: str,
    deleted: tuple[str, int, Step] | None = None,
) -> None:
    """Keeps the steps, opens the one of number `then` and confirms that; `deleted` can be undone."""
    try:
        lessons.change_lesson(replace(lesson, steps=steps), lesson)
    except UserError as error:
        st.session_state[FAILED] = error
        return
    st.session_state[_step_key(lesson)] = min(then, len(steps))
    st.session_state[DELETED] = deleted
    if said:
        confirm("order", said)


def _change(lesson: Lesson, make: Callable[[], Lesson], place: str, said: str) -> None:
    """Keeps the changed lesson and confirms that, or says what is wrong and keeps what was typed."""
    try:
        lessons.change_lesson(make(), lesson)
    except UserError as error:
        forms.show_error(error)
    else:
        confirm(place, said)
        st.rerun()
