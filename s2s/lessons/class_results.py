"""What a class has answered, question by question: for its teacher."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import sqlalchemy as sa

from s2s.lessons.answer_key import given_answer
from s2s.lessons.catalog import find_lesson
from s2s.lessons.classes import ANSWERS, digest
from s2s.lessons.question import ChoiceQuestion, HeadQuestion, Question
from s2s.library import Library
from s2s.processes import queue


@dataclass(frozen=True)
class QuestionResult:
    """How participants answered the question of one step, from 1. `wrong` has the answers that were not right, as
    people read them, and by how many participants each was given; the most frequent first.
    """

    step: int
    question: Question
    n_answered: int
    n_right_first: int  # at the first try
    n_right: int
    wrong: tuple[tuple[str, int], ...]


def class_results(id: str) -> list[QuestionResult]:
    """The results of every question of the lesson as it is now. Raises DeniedError for another's class."""
    with queue.begin() as connection:
        row = Library().lesson(id, "change", connection, of="class")
        found = connection.execute(sa.select(ANSWERS).where(ANSWERS.c["class"] == row.id)).all()
    results = []
    for number, step in enumerate(find_lesson(str(row.lesson)).steps, 1):
        if (question := step.question) is None:
            continue
        mine = [each for each in found if each.question == digest(question)]
        right = [each for each in mine if each.level == "right"]
        wrong = Counter(each.answer for each in mine if each.level != "right")
        results.append(
            QuestionResult(
                number,
                question,
                len({each.participant for each in mine}),
                sum(each.number == 1 for each in right),
                len({each.participant for each in right}),
                tuple((_read(question, answer), n) for answer, n in wrong.most_common()),
            )
        )
    return results


def _read(question: Question, answer: str) -> str:
    if isinstance(question, ChoiceQuestion):
        return given_answer(question, int(answer))
    if isinstance(question, HeadQuestion):
        layer, _, head = answer.partition(".")
        return given_answer(question, ((int(layer), int(head)),))
    return answer or "does not show it yet"
