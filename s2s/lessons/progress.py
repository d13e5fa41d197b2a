"""Which steps of which lessons a workspace has seen, and what it has answered. Kept in the database."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from s2s import settings
from s2s.config import asker
from s2s.lessons.lesson import Lesson
from s2s.lessons.shipped import step_now
from s2s.processes import queue

PROGRESS = sa.Table(
    "lesson_progress",
    sa.MetaData(),
    sa.Column("owner", sa.String(80), primary_key=True),
    sa.Column("lesson", sa.String(64), primary_key=True),
    sa.Column("step", sa.Integer, primary_key=True),  # from 1
    sa.Column("answer", sa.String(8)),  # the best Level; empty: none yet
    sa.Column("changed", sa.Double),
)
RANKS: Mapping[str, int] = MappingProxyType({"": 0, "wrong": 1, "nearly": 2, "right": 3})
DAY = 86_400.0  # seconds


@dataclass(frozen=True)
class LessonProgress:
    """The progress in one lesson: by step, from 1, the best answer so far; empty where none was given."""

    answers: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def right(self) -> frozenset[int]:
        """The steps whose question was answered right."""
        return frozenset(step for step, answer in self.answers.items() if answer == "right")

    def open_questions(self, lesson: Lesson) -> list[int]:
        """The steps of this lesson whose question has no right answer yet."""
        steps = enumerate(lesson.steps, 1)
        return [number for number, step in steps if step.question and number not in self.right]

    def with_answer(self, step: int, answer: str = "") -> LessonProgress:
        """The progress after this step was seen, or answered; a better answer than before counts."""
        best = max(self.answers.get(step, ""), answer, key=RANKS.__getitem__)
        return LessonProgress(MappingProxyType({**self.answers, step: best}))


def _owner(browser: str) -> str:
    """The owner of a progress: the workspace; where all browsers share one, the browser with this id."""
    owner = asker.current()
    return f"{owner} {browser}" if browser and owner == asker.LOCAL else owner


def all_progress(browser: str = "") -> dict[str, LessonProgress]:
    """The progress in every lesson, by its id, of the present workspace, on one's own computer of a browser.

    Raises UserError where the database is away.
    """
    owner = _owner(browser)
    found: dict[str, LessonProgress] = {}
    if owner != asker.NOBODY:
        mine = sa.select(PROGRESS).where(PROGRESS.c.owner == owner)
        with queue.begin() as connection:
            for row in connection.execute(mine):
                lesson, step = step_now(row.lesson, row.step)
                found[lesson] = found.get(lesson, LessonProgress()).with_answer(step, row.answer)
    return found


def note_step(
    lesson: str, step: int, answer: str = "", *, browser: str = "", now: float | None = None
) -> None:
    """Store that the present workspace, on one's own computer a browser, has seen a step, or answered its question; a
    worse answer than before changes nothing but that the lesson was opened.

    Who has no workspace has no progress. Raises UserError where the database is away.
    """
    owner = _owner(browser)
    if owner == asker.NOBODY:
        return
    now = time.time() if now is None else now
    every = sa.and_(PROGRESS.c.owner == owner, PROGRESS.c.lesson == lesson)
    this = sa.and_(every, PROGRESS.c.step == step)
    no_better = [known for known in RANKS if RANKS[known] <= RANKS[answer]]
    values = {"answer": answer, "changed": now}
    update = sa.update(PROGRESS).where(this).where(PROGRESS.c.answer.in_(no_better)).values(values)
    opened = sa.update(PROGRESS).where(every, PROGRESS.c.changed < now - DAY)
    row = {
        "owner": owner,
        "lesson": lesson,
        "step": step,
        **values,
    }
    try:
        with queue.begin() as connection:
            connection.execute(opened.values(changed=now))
            if connection.execute(update).rowcount:
                return
            known_step = connection.execute(sa.select(PROGRESS.c.step).where(this))
            if known_step.first() is None:
                connection.execute(sa.insert(PROGRESS).values(row))
    except IntegrityError:  # another tab has just noted the same
        pass


def delete_progress(workspace: str) -> None:
    """Forgets all progress of a workspace, which the caller may delete."""
    with queue.begin() as connection:
        connection.execute(sa.delete(PROGRESS).where(PROGRESS.c.owner == workspace))


def give_progress(source: str, target: str) -> None:
    """Adds the progress of one workspace to another's; of two answers the better one stays."""
    with queue.begin() as connection:
        found = connection.execute(sa.select(PROGRESS).where(PROGRESS.c.owner == source)).all()
    with asker.acting_as(target):
        for row in found:
            note_step(str(row.lesson), int(row.step), str(row.answer), now=float(row.changed))
    delete_progress(source)


def adopt_progress(browser: str) -> None:
    """Gives what an earlier version kept for all browsers of one's own computer to the first that has nothing."""
    owner = _owner(browser)
    if owner != asker.current() and not all_progress(browser):
        give_progress(asker.LOCAL, owner)


def delete_expired_progress(now: float, kept: Collection[str] = ()) -> None:
    """Forgets lessons that nobody has opened for as long as other things are kept; not of the workspaces `kept`."""
    if (days := settings.expire_days()) is not None:
        old = PROGRESS.c.changed < now - days * DAY
        with queue.begin() as connection:
            connection.execute(sa.delete(PROGRESS).where(old, PROGRESS.c.owner.not_in(kept)))
