"""What a teacher alone sees: what a class has answered, and the answer key of a lesson."""

from __future__ import annotations

from functools import partial

import streamlit as st

from s2s import lessons
from s2s.config import asker
from s2s.lessons import Lesson, QuestionResult
from s2s.plots import Picture
from s2s.questions import Finding, Table
from s2s.ui.kit import note_markdown, plain, show
from s2s.ui.lessons.view_state import STATE

FEW = 3  # answers, of which nothing is said in words
HARDEST = Finding(
    lambda row: row.n_answered >= FEW and 2 * row.n_right_first < row.n_answered,
    "The question of step {step} is the hardest: {n_right_first} of {n_answered} answered it right at the first try.",
)
COLUMNS = ("step", "answered", "right at first try", "right so far", "wrong answers", "question")
ABOUT = {
    "answered": "How many participants have answered the question at all.",
    "wrong answers": "Each with the number of participants who gave it.",
}


def show_results(id: str, lesson: Lesson) -> None:
    """Draw the results of a class for each question of its lesson."""
    rows = lessons.class_results(id)
    if not any(row.n_answered for row in rows):
        st.caption("No question has been answered yet.")
        return
    table = Table(COLUMNS, [*map(_cells, rows)], about=ABOUT)
    show(
        Picture(
            f"results {id}",
            f"Results per question\n{lesson.title}",
            table,
            f"How many answered each question of {lesson.title}, and how",
            table,
            finding=HARDEST.said(min(rows, key=_share_right)),
        )
    )


def _share_right(row: QuestionResult) -> float:
    return row.n_right_first / row.n_answered if row.n_answered else 1.0


def _cells(row: QuestionResult) -> tuple[int | str, ...]:
    wrong = "; ".join(f"{answer}: {n}" for answer, n in row.wrong)
    return row.step, row.n_answered, row.n_right_first, row.n_right, wrong, row.question.prompt


def key_button(of: str, id: str) -> None:
    """Draw a button that opens the answer key of one's own lesson, or of one's own class."""
    st.button(
        "Answer key",
        key=f"key {id}",
        icon=":material/key:",
        on_click=STATE.show,
        kwargs={"key": f"{of}.{id}"},
    )


def shows_key(of: str) -> bool:
    """Draw the right answers and why, if the link says so for a lesson or a class; returns whether it does.

    Raises DeniedError for whoever does not teach the lesson.
    """
    kind, _, id = STATE.now.key.partition(".")
    if kind != of:
        return False
    st.button(
        "Back",
        key="close key",
        icon=":material/arrow_back:",
        on_click=STATE.show,
        kwargs={"key": ""},
    )
    lesson = lessons.taught_lesson(id, of)
    st.subheader(f"Answer key: {plain(lesson.title)}", anchor=False)
    st.caption("Only you can open this page: its address shows nothing to anybody else.")
    rows = _key(asker.current(), lesson)
    if not rows:
        st.info("This lesson has no question.", icon=":material/key:")
        return True
    table = Table(("step", "question", "right answer", "why"), rows)
    key = Picture("answer key", f"Answer key\n{lesson.title}", table, "The right answers", table)
    show(key, draw=partial(_draw_key, rows))
    return True


def _draw_key(rows: list[lessons.KeyRow]) -> None:
    for row in rows:
        with st.container(border=True, gap="xsmall"):
            st.markdown(f"**Step {row.step}.** {note_markdown(row.asked)}")
            st.markdown(f":material/check: **{plain(row.right)}**")
            st.caption(note_markdown(row.why))


@st.cache_data(max_entries=32, ttl=600, show_spinner="Computing the right answers ...")
def _key(workspace: str, lesson: Lesson) -> list[lessons.KeyRow]:
    """The answer key of a lesson, cached per workspace: a workspace may not see every run."""
    return lessons.answer_key(lesson)
