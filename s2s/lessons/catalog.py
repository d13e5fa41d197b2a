"""Which lessons there are, and the step that a link names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from s2s.config import UserError, nearest, shortened
from s2s.lessons import own
from s2s.lessons.answers import ANSWERS
from s2s.lessons.lesson import Lesson, Step
from s2s.lessons.question import ChoiceQuestion, NumberQuestion, Question
from s2s.lessons.shipped import EXERCISES, LESSONS, step_now
from s2s.links import share


class OpenedStep(NamedTuple):
    """A step of a lesson, as a link opens it; `number` is from 1."""

    lesson: Lesson
    number: int

    def __str__(self) -> str:
        """The step as links say it: `five-minutes.2`."""
        return f"{self.lesson.id}.{self.number}"

    @property
    def step(self) -> Step:
        """The view, note and question of this step."""
        return self.lesson.steps[self.number - 1]

    @property
    def before(self) -> OpenedStep | None:
        """The step before this one; None at the first."""
        return self._replace(number=self.number - 1) if self.number > 1 else None

    @property
    def after(self) -> OpenedStep | None:
        """The next step; None at the last."""
        return (
            self._replace(number=self.number + 1) if self.number < len(self.lesson.steps) else None
        )


def lesson_after(lesson: Lesson) -> Lesson | None:
    """The lesson or exercise that comes next in its list; None after the last, and for one that somebody made."""
    for rows in (LESSONS, EXERCISES):
        ids = list(rows)
        if lesson.id in ids[:-1]:
            return rows[ids[ids.index(lesson.id) + 1]]
    return None


def find_lesson(id: str) -> Lesson:
    """A lesson or an exercise by its id, or one that somebody made and shared. Raises UserError for one not there."""
    for rows in (LESSONS, EXERCISES):
        if id in rows:
            return rows[id]
    if own.is_own_id(id):
        return own.find_own(id).lesson
    close = nearest(id, [*LESSONS, *EXERCISES], 1)
    meant = f"; perhaps `{close[0]}` is meant" if close else ""
    raise UserError(
        f"There is no lesson `{shortened(share.printable(id), 30)}` here{meant}; the page Lessons lists them."
    )


def find_step(written: str) -> OpenedStep:
    """The step that a link's `lesson` names: `five-minutes.2`, without a number the first.

    Raises UserError for a lesson or a step that is not there.
    """
    id, dot, typed = written.rpartition(".")
    if not dot:
        return OpenedStep(find_lesson(typed), 1)
    is_number = typed.isdecimal() and len(typed) <= 3
    id, number = step_now(id, int(typed) if is_number else 0)
    lesson = find_lesson(id)
    last = len(lesson.steps)
    if not 1 <= number <= last:
        raise UserError(
            f"`{lesson.id}` has no step `{shortened(share.printable(typed), 20)}`; its steps are 1 to {last}."
        )
    return OpenedStep(lesson, number)


def rebuilt_in(preset: str) -> OpenedStep | None:
    """The step that rebuilds a tutorial's model by this preset, with its data; None for any other preset."""
    lesson = LESSONS["build-it-yourself"]
    for number, step in enumerate(lesson.steps, 1):
        given = share.unpack(step.view.values["set"])
        if preset in (given.get("preset"), given.get("model")):
            return OpenedStep(lesson, number)
    return None


# Teachers' own lessons may ask for them still.
ONCE_ASKED: Mapping[type[Question], Sequence[str]] = MappingProxyType(
    {NumberQuestion: ["output_tokens"], ChoiceQuestion: ["greedy_and_beam"]}
)


def computed_answers(kind: type[Question]) -> Mapping[str, str]:
    """The names and descriptions of answers that are computed for questions of this kind in the lessons that ship."""
    asked = [
        step.question for row in (*LESSONS.values(), *EXERCISES.values()) for step in row.steps
    ]
    named = [str(getattr(each, "answer", "")) for each in asked if isinstance(each, kind)]
    named += ONCE_ASKED.get(kind, ())
    return {name: row.description for name, row in ANSWERS.items() if name in named}
