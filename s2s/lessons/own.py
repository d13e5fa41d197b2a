"""Lessons that visitors made: kept in the database with their owner, opened by whoever has the link once shared."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from s2s.config import UserError, asker
from s2s.files import stored
from s2s.lessons import lesson_file
from s2s.lessons.lesson import Lesson, Step, View
from s2s.library import Library, Thing, rights
from s2s.library.opener import OWN_LESSONS, at
from s2s.links import short as short_links
from s2s.processes import queue

LENGTH = 16  # characters of an id
MOST_LESSONS = 100  # of one workspace on a hosted server
DAY = 86_400.0  # seconds
MINUTES = 10  # of a new lesson, until its owner says otherwise


@dataclass(frozen=True)
class OwnLesson:
    """A lesson that somebody made, of a workspace; `is_shared`: anyone with its link may open it."""

    lesson: Lesson
    owner: str
    is_shared: bool


# What some stored lessons have until a view is added: a lesson has a step at least.
EMPTY = Step("First step", "The first view that you add becomes this step.", View(""))


def is_own_id(id: str) -> bool:
    """Whether an id can be that of a lesson which somebody made."""
    return len(id) == LENGTH and stored.ID.fullmatch(id) is not None


def add_lesson(lesson: Lesson, *, now: float | None = None) -> Lesson:
    """Keeps a copy of a lesson, with an id of its own, for the present workspace.

    Raises UserError where there is no workspace, no room, or no database.
    """
    made = replace(lesson, id=secrets.token_urlsafe(LENGTH * 3 // 4))
    _add(OwnLesson(made, asker.current(), is_shared=False), now)
    return made


def is_empty(lesson: Lesson) -> bool:
    """Whether no view has been added to the lesson yet."""
    return lesson.steps == (EMPTY,)


def add_step(id: str, step: Step) -> Lesson:
    """Appends a step to one's own lesson. Raises DeniedError for another's."""
    lesson = find_own(id).lesson
    steps = () if is_empty(lesson) else lesson.steps
    changed = replace(lesson, steps=(*steps, step))
    change_lesson(changed, lesson)
    return changed


def restore_lesson(deleted: OwnLesson, *, now: float | None = None) -> None:
    """Adds one's own lesson again, with its id: links to it open it as before.

    Raises DeniedError for another's, else as `add_lesson`.
    """
    lesson = deleted.lesson.id
    rights.require("change", Thing("lesson", lesson, deleted.owner, deleted.is_shared))
    _add(deleted, now)


def _add(own: OwnLesson, now: float | None) -> None:
    now = time.time() if now is None else now
    if own.owner == asker.NOBODY:
        raise UserError(
            "A lesson is kept for a workspace, and this browser has none: allow cookies for this page."
        )
    row = {"id": own.lesson.id, "owner": own.owner, "shared": own.is_shared}
    content = _content(own.lesson)
    with queue.alone() as connection:
        mine = sa.select(sa.func.count()).where(OWN_LESSONS.c.owner == own.owner)
        n_lessons = int(connection.execute(mine.select_from(OWN_LESSONS)).scalar_one())
        if own.owner != asker.LOCAL and n_lessons >= MOST_LESSONS:
            raise UserError(
                f"This workspace has {n_lessons} lessons, the most that are stored for one; delete one first."
            )
        same = OWN_LESSONS.c.id == own.lesson.id
        connection.execute(sa.delete(OWN_LESSONS).where(same, OWN_LESSONS.c.owner == own.owner))
        connection.execute(
            sa.insert(OWN_LESSONS).values(**row, content=content, created=now, opened=now)
        )


def own_lessons() -> list[OwnLesson]:
    """The lessons of the present workspace, oldest first."""
    if (owner := asker.current()) == asker.NOBODY:
        return []
    mine = sa.select(OWN_LESSONS).where(OWN_LESSONS.c.owner == owner)
    with queue.begin() as connection:
        rows = connection.execute(mine.order_by(OWN_LESSONS.c.created, OWN_LESSONS.c.id)).all()
    return [_read(row) for row in rows]


def find_own(id: str, *, now: float | None = None) -> OwnLesson:
    """A lesson that the visitor made, or that its owner shared. Raises DeniedError for any other."""
    now = time.time() if now is None else now
    with queue.begin() as connection:
        row = Library().lesson(id, "view", connection)
        if row.opened < now - DAY:
            connection.execute(sa.update(OWN_LESSONS).where(at(row)).values(opened=now))
    return _read(row)


def change_lesson(lesson: Lesson, before: Lesson, *, now: float | None = None) -> None:
    """Replaces one's own lesson of that id, which was as `before`; its link stays.

    Raises UserError where it has been changed meanwhile, DeniedError for another's.
    """
    now = time.time() if now is None else now
    with queue.begin() as connection:
        row = Library().lesson(lesson.id, "change", connection)
        if _read(row).lesson != before:
            raise UserError(
                "This lesson has been changed since you opened it, perhaps in another tab; copy what you typed, then"
                " reload the page."
            )
        this = sa.update(OWN_LESSONS).where(at(row))
        connection.execute(this.values(content=_content(lesson), opened=now))


def share_lesson(id: str, *, is_shared: bool) -> None:
    """Lets anyone with the link open one's own lesson, or nobody. Raises DeniedError for another's."""
    with queue.begin() as connection:
        row = Library().lesson(id, "change", connection)
        connection.execute(sa.update(OWN_LESSONS).where(at(row)).values(shared=is_shared))


def delete_lesson(id: str) -> None:
    """Deletes one's own lesson. Raises DeniedError for another's."""
    with queue.begin() as connection:
        row = Library().lesson(id, "delete", connection)
        connection.execute(sa.delete(OWN_LESSONS).where(at(row)))


def delete_lessons(workspace: str) -> None:
    """Deletes all lessons of a workspace, which the caller may delete."""
    with queue.begin() as connection:
        connection.execute(sa.delete(OWN_LESSONS).where(OWN_LESSONS.c.owner == workspace))


def give_lessons(source: str, target: str) -> None:
    """Gives the lessons of one workspace to another."""
    with queue.begin() as connection:
        theirs = sa.update(OWN_LESSONS).where(OWN_LESSONS.c.owner == source)
        connection.execute(theirs.values(owner=target))


def delete_expired_lessons(now: float) -> None:
    """Deletes lessons that nobody has opened for as long as a short link lives."""
    if (days := short_links.days_to_live()) is not None:
        with queue.begin() as connection:
            old = OWN_LESSONS.c.opened < now - days * DAY
            connection.execute(sa.delete(OWN_LESSONS).where(old))


def _content(lesson: Lesson) -> dict[str, Any]:
    content = lesson_file.to_json(lesson)
    n_bytes = len(lesson_file.write(lesson).encode())
    if n_bytes > lesson_file.MOST_BYTES:
        raise UserError(
            f"The lesson takes {n_bytes:,} bytes; at most {lesson_file.MOST_BYTES:,} are stored: shorten it."
        )
    lesson_file.from_json(content, id=lesson.id)
    return content


def _read(row: Any) -> OwnLesson:
    lesson = lesson_file.from_json(row.content, id=str(row.id))
    return OwnLesson(lesson, str(row.owner), bool(row.shared))
