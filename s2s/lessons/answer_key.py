"""The right answers to a lesson's questions, with reasons: for whoever teaches it."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from s2s.config import UserError
from s2s.lessons import own
from s2s.lessons.answers import ANSWERS, CONDITIONS, RUN_CONDITIONS
from s2s.lessons.catalog import find_lesson
from s2s.lessons.check import answer, rounded
from s2s.lessons.lesson import Lesson
from s2s.lessons.question import (
    ChoiceQuestion,
    HeadQuestion,
    NumberQuestion,
    Question,
    RunQuestion,
    SentenceQuestion,
)
from s2s.lessons.verdict import Context, Heads, saved_run
from s2s.library import Library
from s2s.processes import queue


class KeyRow(NamedTuple):
    """The answer to the question of one step, from 1, and why it is right."""

    step: int
    asked: str
    right: str
    why: str


def taught_lesson(id: str, of: str = "lesson") -> Lesson:
    """The lesson whose answers this workspace may read: one of its own, or that of its own class.

    Raises DeniedError for any other: whoever may open a lesson by its link may not read its answers.
    """
    with queue.begin() as connection:
        row = Library().lesson(id, "change", connection, of=of)
        lesson = str(row.lesson) if of == "class" else id
        if own.is_own_id(lesson):
            Library().lesson(lesson, "change", connection)
    return find_lesson(lesson)


def answer_key(lesson: Lesson) -> list[KeyRow]:
    """All questions' answers; what is computed, as each step opens. An answer that cannot be computed says why not."""
    opener = cache(saved_run)  # most steps show the same run
    rows = []
    for number, step in enumerate(lesson.steps, 1):
        if step.question:
            context = Context(
                step.view.run, step.view.page, step.view.values, step.view.values, opener
            )
            rows.append(
                KeyRow(number, step.question.prompt, *_right_and_why(step.question, context))
            )
    return rows


def _right_and_why(question: Question, context: Context) -> tuple[str, str]:
    if isinstance(question, SentenceQuestion):
        return question.example or "any such sentence", right_answer(question)
    if isinstance(question, RunQuestion):
        return "any such run", right_answer(question)
    described = right_answer(question) if isinstance(question.answer, str) else ""
    try:
        right = answer(question, context)
    except UserError as error:
        return described, str(error)
    if isinstance(right, Heads):
        return given_answer(question, tuple(sorted(right.right))), right.why or described
    if isinstance(question, ChoiceQuestion):
        return question.options[int(right)], question.why[int(right)]
    return given_answer(question, right), described


def right_answer(question: Question) -> str:
    """The right answer as people read it; where it depends on what is on the screen, what computes it.

    >>> right_answer(NumberQuestion("How many?", 12, 0.5, "tokens"))
    '12 tokens ± 0.5'
    """
    match question:
        case SentenceQuestion():
            return CONDITIONS[question.condition].description
        case RunQuestion():
            return RUN_CONDITIONS[question.condition].description
        case NumberQuestion() | ChoiceQuestion() | HeadQuestion():
            if isinstance(question.answer, str):
                return ANSWERS[question.answer].description
            return given_answer(question, question.answer)


def given_answer(question: Question, given: object) -> str:
    """An answer as people read it: an option by its text, heads by their names."""
    match question, given:
        case ChoiceQuestion(options=options), int():
            return options[given]
        case NumberQuestion(unit=unit, tolerance=tolerance), int() | float():
            said = f"{rounded(given, tolerance)} {unit}".strip()
            return f"{said} ± {tolerance:g}" if tolerance else said
        case HeadQuestion(), tuple():
            return " or ".join(f"head {head} of layer {layer}" for layer, head in given)
    return ""
