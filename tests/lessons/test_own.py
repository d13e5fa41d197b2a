"""Lessons that visitors made: whose they are, and who opens them."""

from dataclasses import replace

import pytest

from s2s import lessons
from s2s.config import DeniedError, UserError, asker
from s2s.lessons import LESSONS, Lesson, add_lesson, find_lesson, own

FIRST = LESSONS["five-minutes"]


@pytest.fixture
def ana(monkeypatch: pytest.MonkeyPatch) -> Lesson:
    """A lesson of Ana's on a hosted server."""
    monkeypatch.setenv("S2S_HOSTED", "1")
    with asker.acting_as("ana"):
        return add_lesson(replace(FIRST, title="A secret title"), now=1000.0)


def of(workspace: str) -> list[Lesson]:
    with asker.acting_as(workspace):
        return [each.lesson for each in lessons.own_lessons()]


def test_a_lesson_is_its_owner_s_until_it_is_shared(ana: Lesson) -> None:
    assert of("ana") == [ana]
    assert of("bob") == of(asker.NOBODY) == []
    with asker.acting_as("ana"):
        assert find_lesson(ana.id) == ana
        assert str(lessons.find_step(f"{ana.id}.2").after) == f"{ana.id}.3"
    with asker.acting_as("bob"):
        with pytest.raises(DeniedError) as private:
            find_lesson(ana.id)
        with pytest.raises(DeniedError) as missing:
            find_lesson("x" * own.LENGTH)
    assert str(private.value).replace(ana.id, "x" * own.LENGTH) == str(missing.value)
    with asker.acting_as("ana"):
        lessons.share_lesson(ana.id, is_shared=True)
    with asker.acting_as("bob"):
        assert find_lesson(ana.id) == ana
        for change in (
            lambda: lessons.change_lesson(ana, ana),
            lambda: lessons.delete_lesson(ana.id),
            lambda: lessons.share_lesson(ana.id, is_shared=False),
        ):
            with pytest.raises(DeniedError, match="belongs to somebody else"):
                change()
    with asker.acting_as("ana"):
        lessons.change_lesson(replace(ana, title="Another"), ana)
        with pytest.raises(UserError, match="has been changed since you opened it"):
            lessons.change_lesson(replace(ana, title="A third"), ana)
        assert find_lesson(ana.id).title == "Another"
        deleted = own.find_own(ana.id)
        lessons.delete_lesson(ana.id)
    assert of("ana") == []
    with asker.acting_as("bob"), pytest.raises(DeniedError, match="belongs to somebody else"):
        lessons.restore_lesson(deleted)
    with asker.acting_as("ana"):
        lessons.restore_lesson(deleted)
        lessons.restore_lesson(deleted)  # twice is once
        assert lessons.own_lessons() == [deleted]


def test_lessons_change_hands_expire_and_are_deleted(
    ana: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    lessons.give_lessons("ana", "bob")
    assert (of("ana"), of("bob")) == ([], [ana])
    monkeypatch.setenv("S2S_EXPIRE_DAYS", "30")
    lessons.delete_expired_lessons(1000.0 + 364 * own.DAY)
    assert of("bob") == [ana]
    lessons.delete_expired_lessons(1001.0 + 365 * own.DAY)
    assert of("bob") == []
    with asker.acting_as("bob"):
        again = add_lesson(FIRST)
        assert again.id != ana.id
    lessons.delete_lessons("bob")
    assert of("bob") == []


def test_opening_a_lesson_keeps_it(ana: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_EXPIRE_DAYS", "30")
    with asker.acting_as("ana"):
        own.find_own(ana.id, now=1000.0 + 300 * own.DAY)
    lessons.delete_expired_lessons(1001.0 + 365 * own.DAY)
    assert of("ana") == [ana]


def test_there_is_a_limit_and_nobody_has_none(ana: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "MOST_LESSONS", 1)
    with asker.acting_as("ana"), pytest.raises(UserError, match="has 1 lessons, the most"):
        add_lesson(FIRST)
    with asker.acting_as(asker.NOBODY), pytest.raises(UserError, match="allow cookies"):
        add_lesson(FIRST)
    long = replace(FIRST, steps=(replace(FIRST.steps[0], note="x" * 1200),) * 40)
    monkeypatch.setattr(lessons.lesson_file, "MOST_BYTES", 10_000)
    with asker.acting_as("bob"), pytest.raises(UserError, match="bytes; at most 10,000"):
        add_lesson(long)
