"""A class: people at one lesson whose teacher sees at which step they are and what they answer, where they agree.

No names are stored. A participant is a number to the teacher. What tells two apart in the database is a hash of class
and workspace, from which neither can be read. A participant is forgotten a day after their last step, a class with its
answers after a week.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import time
from dataclasses import dataclass

import sqlalchemy as sa

from s2s.config import DeniedError, UserError, asker
from s2s.lessons.catalog import find_lesson
from s2s.lessons.check import Given, number
from s2s.lessons.question import ChoiceQuestion, HeadQuestion, NumberQuestion, Question
from s2s.library import Library
from s2s.library.opener import CLASSES, at
from s2s.processes import queue

PARTICIPANTS = sa.Table(
    "class_participants",
    sa.MetaData(),
    sa.Column("class", sa.String(16), primary_key=True),
    sa.Column("participant", sa.String(32), primary_key=True),
    sa.Column("step", sa.Integer),  # from 1
    sa.Column("right_answers", sa.Integer),
    sa.Column("joined", sa.Double),
    sa.Column("changed", sa.Double),
)
ANSWERS = sa.Table(
    "class_answers",
    sa.MetaData(),
    sa.Column("class", sa.String(16), primary_key=True),
    sa.Column("participant", sa.String(32), primary_key=True),
    sa.Column("question", sa.String(16), primary_key=True),  # a digest: a changed one begins anew
    sa.Column("answer", sa.String(24), primary_key=True),  # an index, a number or a head, no text
    sa.Column("level", sa.String(8)),
    sa.Column("number", sa.Integer),  # of this participant's answers to the question, from 1
)
STORED = PARTICIPANTS, ANSWERS  # of a class
MOST_ANSWERS = 30  # of one participant to one question
MOST_CLASSES = 20  # of one workspace
MOST_PARTICIPANTS = 500
DAY = 86_400.0  # seconds
CLASS_DAYS = 7


@dataclass(frozen=True)
class LessonClass:
    """A class at a lesson. Times are seconds since the epoch."""

    id: str
    owner: str
    lesson: str
    created: float


@dataclass(frozen=True)
class Participant:
    """A participant of a class and how far they are; `number` counts from 1, in the order in which they joined."""

    number: int
    step: int
    n_right: int
    changed: float


def open_class(lesson: str, *, now: float | None = None) -> LessonClass:
    """Open a new class of the present workspace. Raises UserError for an unknown lesson, and for too many classes."""
    now = time.time() if now is None else now
    owner = asker.current()
    if owner == asker.NOBODY:
        raise UserError(
            "A class belongs to a workspace, and this browser has none: allow cookies for this page."
        )
    find_lesson(lesson)
    made = LessonClass(secrets.token_urlsafe(12), owner, lesson, now)
    with queue.alone() as connection:
        counted = sa.select(sa.func.count()).select_from(CLASSES).where(CLASSES.c.owner == owner)
        if (n_classes := int(connection.execute(counted).scalar_one())) >= MOST_CLASSES:
            raise UserError(f"You have {n_classes} classes, the most that there may be; close one.")
        connection.execute(
            sa.insert(CLASSES).values(id=made.id, owner=owner, lesson=lesson, created=now)
        )
    return made


def own_classes(*, now: float | None = None) -> list[LessonClass]:
    """The classes that the present workspace has open, newest first."""
    since = (time.time() if now is None else now) - CLASS_DAYS * DAY
    mine = sa.select(CLASSES).where(CLASSES.c.owner == asker.current(), CLASSES.c.created > since)
    with queue.begin() as connection:
        rows = connection.execute(mine.order_by(CLASSES.c.created.desc(), CLASSES.c.id)).all()
    return [_class(row) for row in rows]


def participants(id: str, *, now: float | None = None) -> list[Participant]:
    """The participants who agreed and were there within a day, in the order in which they joined.

    Raises DeniedError for another's class, UserError where its lesson is gone.
    """
    since = (time.time() if now is None else now) - DAY
    with queue.begin() as connection:
        row = Library().lesson(id, "change", connection, of="class")
        here = PARTICIPANTS.c["class"] == row.id
        found = sa.select(PARTICIPANTS).where(here, PARTICIPANTS.c.changed > since)
        order = found.order_by(PARTICIPANTS.c.joined, PARTICIPANTS.c.participant)
        rows = connection.execute(order).all()
    n_steps = len(find_lesson(str(row.lesson)).steps)  # an earlier version's had more
    return [
        Participant(number, min(each.step, n_steps), int(each.right_answers), float(each.changed))
        for number, each in enumerate(rows, 1)
    ]


def find_class(id: str, *, now: float | None = None) -> LessonClass:
    """An open class, by the id in its link. Raises UserError where it is closed, or was never there."""
    now = time.time() if now is None else now
    with queue.begin() as connection, contextlib.suppress(DeniedError):
        row = Library().lesson(id, "view", connection, of="class")
        if row.created >= now - CLASS_DAYS * DAY:
            return _class(row)
    raise UserError(
        "The class of this link is closed; the lesson is open, and nobody sees at which step you are."
    )


def is_participant(id: str) -> bool:
    """Whether the visitor has agreed that the teacher of a class sees their step."""
    with queue.begin() as connection:
        return (
            connection.execute(sa.select(PARTICIPANTS.c.step).where(_mine(id))).first() is not None
        )


def join_class(id: str, step: int, n_right: int, *, now: float | None = None) -> None:
    """Join the visitor, who agrees: from now on the teacher sees the step and the number of right answers.

    Raises UserError where the class is closed or full, or the visitor has no workspace.
    """
    now = time.time() if now is None else now
    find_class(id, now=now)
    if asker.current() == asker.NOBODY:
        raise UserError(
            "This browser has no workspace: allow cookies for this page, and try again."
        )
    with queue.alone() as connection:  # another tab may join at the same moment
        if connection.execute(_written(id, step, n_right, now)).rowcount:
            return
        here = sa.select(sa.func.count()).select_from(PARTICIPANTS)
        counted = here.where(PARTICIPANTS.c["class"] == id)
        if int(connection.execute(counted).scalar_one()) >= MOST_PARTICIPANTS:
            raise UserError(
                f"The class has {MOST_PARTICIPANTS} participants, the most there may be."
            )
        connection.execute(
            sa.insert(PARTICIPANTS).values(
                {
                    "class": id,
                    "participant": _hash(id),
                    "step": step,
                    "right_answers": n_right,
                    "joined": now,
                    "changed": now,
                }
            )
        )


def note_participant(id: str, step: int, n_right: int, *, now: float | None = None) -> None:
    """Store where the visitor is now; nothing is written of one who has not agreed."""
    now = time.time() if now is None else now
    with queue.begin() as connection:
        connection.execute(_written(id, step, n_right, now))


def note_answer(id: str, question: Question, given: Given, level: str) -> None:
    """Store what the visitor has answered; nothing is written of one who has not agreed, and no sentence."""
    answer = _written_answer(question, given)
    this = ANSWERS.c.question == digest(question)
    mine = sa.select(ANSWERS.c.answer).where(_mine(id, ANSWERS), this)
    with queue.alone() as connection:  # another tab may answer at the same moment
        agreed = connection.execute(sa.select(PARTICIPANTS.c.step).where(_mine(id))).first()
        before = connection.execute(mine).scalars().all()
        if agreed is None or answer in before or len(before) >= MOST_ANSWERS:
            return
        row = {
            "class": id,
            "participant": _hash(id),
            "question": digest(question),
            "answer": answer,
            "level": level,
            "number": len(before) + 1,
        }
        connection.execute(sa.insert(ANSWERS).values(row))


def digest(question: Question) -> str:
    """A text that differs between questions, and after a question was changed."""
    return hashlib.sha256(repr(question).encode()).hexdigest()[:16]


def _written_answer(question: Question, given: Given) -> str:
    match question, given:
        case ChoiceQuestion(), int():
            return str(given)
        case HeadQuestion(), tuple():
            return f"{given[0]}.{given[1]}"
        case NumberQuestion(), str():
            return f"{number(given, question.unit):.6g}"
    return ""  # a sentence, or a run: the visitor's own


def leave_class(id: str) -> None:
    """Forgets the visitor's participation in a class at once."""
    with queue.begin() as connection:
        for table in STORED:
            connection.execute(sa.delete(table).where(_mine(id, table)))


def close_class(id: str) -> None:
    """Deletes a class with its participants. Raises DeniedError for another's."""
    with queue.begin() as connection:
        row = Library().lesson(id, "delete", connection, of="class")
        _delete(connection, at(row))


def delete_classes(workspace: str) -> None:
    """Deletes all classes of a workspace, which the caller may delete, and its own participation in others."""
    with queue.begin() as connection:
        _delete(connection, CLASSES.c.owner == workspace)
        every = connection.execute(sa.select(CLASSES.c.id)).scalars().all()
        hashes = [_hash(str(id), workspace) for id in every]
        for table in STORED:
            connection.execute(sa.delete(table).where(table.c.participant.in_(hashes)))


def give_classes(source: str, target: str) -> None:
    """Gives the classes of one workspace to another."""
    with queue.begin() as connection:
        theirs = sa.update(CLASSES).where(CLASSES.c.owner == source)
        connection.execute(theirs.values(owner=target))


def delete_expired_classes(now: float) -> None:
    """Forgets participants after a day, and classes after a week."""
    with queue.begin() as connection:
        old = PARTICIPANTS.c.changed < now - DAY
        connection.execute(sa.delete(PARTICIPANTS).where(old))
        _delete(connection, CLASSES.c.created < now - CLASS_DAYS * DAY)


def _delete(connection: sa.Connection, which: sa.ColumnElement[bool]) -> None:
    gone = sa.select(CLASSES.c.id).where(which)
    for table in STORED:
        connection.execute(sa.delete(table).where(table.c["class"].in_(gone)))
    connection.execute(sa.delete(CLASSES).where(which))


def _written(id: str, step: int, n_right: int, now: float) -> sa.Update:
    values = {"step": step, "right_answers": n_right, "changed": now}
    return sa.update(PARTICIPANTS).where(_mine(id)).values(values)


def _mine(id: str, table: sa.Table = PARTICIPANTS) -> sa.ColumnElement[bool]:
    return (table.c["class"] == id) & (table.c.participant == _hash(id))


def _hash(id: str, workspace: str | None = None) -> str:
    who = asker.current() if workspace is None else workspace
    return hashlib.sha256(f"{id} {who}".encode()).hexdigest()[:32]


def _class(row: sa.Row[tuple[object, ...]]) -> LessonClass:
    return LessonClass(str(row.id), str(row.owner), str(row.lesson), float(row.created))
