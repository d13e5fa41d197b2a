"""What a workspace has seen and answered."""

import pytest

from s2s import lessons
from s2s.config import asker
from s2s.lessons import LessonProgress, all_progress, note_step


def of(workspace: str) -> dict[str, dict[int, str]]:
    with asker.acting_as(workspace):
        return {lesson: dict(mine.answers) for lesson, mine in all_progress().items()}


def test_a_better_answer_counts_and_each_workspace_has_its_own() -> None:
    for answer in ("", "wrong", "right", "nearly", ""):
        note_step("five-minutes", 1, answer)
    note_step("five-minutes", 2)
    with asker.acting_as("ann"):
        note_step("five-minutes", 1, "nearly")
    with asker.acting_as(asker.NOBODY):
        note_step("five-minutes", 1, "right")
    assert of("local") == {"five-minutes": {1: "right", 2: ""}}
    assert of("ann") == {"five-minutes": {1: "nearly"}}
    assert of(asker.NOBODY) == {}


def test_on_ones_own_computer_each_browser_has_its_own() -> None:
    note_step("five-minutes", 1, "right", browser="one")
    assert all_progress("one")["five-minutes"].right == {1}
    assert all_progress("other") == all_progress() == {}
    with asker.acting_as("ann"):  # in all their browsers
        note_step("five-minutes", 2, browser="one")
        assert [*all_progress("other")] == ["five-minutes"]


def test_what_was_kept_for_all_browsers_goes_to_the_first() -> None:
    note_step("five-minutes", 1, "right")
    lessons.adopt_progress("one")
    lessons.adopt_progress("other")
    assert all_progress("one")["five-minutes"].right == {1}
    assert all_progress("other") == all_progress() == {}
    with asker.acting_as("ann"):
        note_step("five-minutes", 2)
        lessons.adopt_progress("one")
        assert [*all_progress()] == ["five-minutes"]


def test_progress_is_added_and_never_gets_worse() -> None:
    mine = LessonProgress().with_answer(1).with_answer(2, "right").with_answer(2, "wrong")
    assert mine.answers == {1: "", 2: "right"}
    assert mine.right == {2}


def test_a_lesson_that_is_opened_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    day = 86_400.0
    for workspace, lesson in (("ann", "a"), ("ann", "b"), ("bob", "a")):
        with asker.acting_as(workspace):
            for step in (1, 2):
                note_step(lesson, step, "right", now=1.0)
    with asker.acting_as("ann"):
        note_step("a", 1, now=29 * day)
    lessons.delete_expired_progress(31 * day)
    assert of("ann") == {"a": {1: "right", 2: "right"}}
    assert of("bob") == {}


def test_progress_of_a_kept_workspace_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    for workspace in ("ann", "bob"):
        with asker.acting_as(workspace):
            note_step("a", 1, now=1.0)
    lessons.delete_expired_progress(1e9, kept=["ann"])
    assert (of("ann"), of("bob")) == ({"a": {1: ""}}, {})


def test_it_changes_hands_and_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    for workspace, step, answer in (("ann", 1, "right"), ("ann", 2, ""), ("bob", 1, "nearly")):
        with asker.acting_as(workspace):
            note_step("five-minutes", step, answer, now=1000.0 * step)
    lessons.give_progress("ann", "bob")
    assert of("ann") == {}
    assert of("bob") == {"five-minutes": {1: "right", 2: ""}}
    lessons.delete_expired_progress(1e12)
    assert of("bob")
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_EXPIRE_DAYS", "1")
    lessons.delete_expired_progress(1500.0 + 86_400)
    assert of("bob") == {"five-minutes": {2: ""}}
    lessons.delete_progress("bob")
    assert of("bob") == {}
