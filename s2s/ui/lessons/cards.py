"""Lessons as cards: what each is about, how far the visitor is, and the way to its next step."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from types import MappingProxyType

import streamlit as st

from s2s.config import UserError, asker
from s2s.lessons import Lesson, LessonProgress, OpenedStep, find_step
from s2s.reports import lesson_handout
from s2s.ui.kit import as_markdown, file_name, note_markdown, plain
from s2s.ui.lessons.links import home
from s2s.ui.shell import lesson_progress, page, small_picture, step_link

PICTURED = MappingProxyType(  # by lesson: the step whose picture is on its card, as links name it
    {
        "five-minutes": "five-minutes.3",
        "way-of-a-sentence": "way-of-a-sentence.4",
        "way-of-a-translation": "way-of-a-translation.1",
        "decoding": "decoding.2",
        "training": "training.1",
        "what-attention-tells": "what-attention-tells.2",
        "models-you-use": "models-you-use.2",
        "build-it-yourself": "build-it-yourself.2",
        "exercise-beam": "five-minutes.5",
        "exercise-reverse-direction": "exercise-reverse-direction.1",
        "exercise-alignment": "exercise-alignment.2",
        "exercise-embeddings": "exercise-embeddings.1",
        "exercise-tasks": "exercise-tasks.1",
    }
)


def draw(lessons: Iterable[Lesson]) -> None:
    """Draw a card per lesson."""
    try:
        done = lesson_progress()
    except UserError as error:
        done = {}
        st.warning(
            f"Your progress cannot be shown. {as_markdown(str(error))}", icon=":material/warning:"
        )
    with (
        st.container(key="answer"),
        st.grid(3, min_column_width=280, border=True) as grid,
    ):
        for number, row in enumerate(lessons, 1):
            with grid.cell():
                _card(number, row, done.get(row.id, LessonProgress()))
    if done and not asker.is_hosted():
        st.caption("Your progress is kept for this browser.")


def _card(place: int, lesson: Lesson, done: LessonProgress) -> None:
    n_steps = len(lesson.steps)
    seen = {step for step in done.answers if step <= n_steps}
    step = find_step(PICTURED[lesson.id]).step
    st.html(small_picture(lesson.id, f"{page(step.view.page).title}: {step.title}"))
    st.subheader(f"{place}\\. {plain(lesson.title)}", anchor=False)
    if seen:
        st.progress(len(seen) / n_steps)
    st.caption(
        f"{lesson.minutes} minutes · {n_steps} step{'s' * (n_steps > 1)}{_so_far(lesson, done, len(seen))}"
    )
    st.markdown(note_markdown(lesson.summary))
    number, label = _next(lesson, done, seen)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        at = OpenedStep(lesson, number)
        with st.container(key=f"start {lesson.id}", width="content"):
            step_link(at, f"{label}: {plain(lesson.name)}", ":material/play_arrow:")
        with st.popover("More", icon=":material/more_horiz:", type="tertiary"):
            handout_button(lesson)


def _next(lesson: Lesson, done: LessonProgress, seen: set[int]) -> tuple[int, str]:
    if len(seen) < len(lesson.steps):
        return max(seen, default=1), "Continue" if seen else "Start"
    unanswered = done.open_questions(lesson)
    return (unanswered[0], "Open questions") if unanswered else (1, "Start again")


def handout_button(lesson: Lesson) -> None:
    """Draw the button that downloads the lesson as one file to print; it is written when the button is pressed."""
    st.download_button(
        f"Handout: {plain(lesson.name)}",
        asker.for_this_visitor(partial(lesson_handout, lesson, home())),
        f"{file_name(lesson.title)}.html",
        "text/html",
        key=f"handout {lesson.id}",
        on_click="ignore",
        icon=":material/print:",
        type="tertiary",
        help="One HTML file to print: notes, pictures, questions with room for answers, and links.",
    )


def _so_far(lesson: Lesson, done: LessonProgress, n_seen: int) -> str:
    if not n_seen:
        return ""
    n_questions = sum(step.question is not None for step in lesson.steps)
    n_right = n_questions - len(done.open_questions(lesson))
    right = f" · {n_right} of {n_questions} questions right" if n_questions else ""
    return f" · {n_seen} of {len(lesson.steps)} seen{right}"
