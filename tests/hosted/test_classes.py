"""A class: its teacher sees at which step people are who agreed, and nobody else sees anything."""

import pytest
import sqlalchemy as sa

from s2s import lessons
from s2s.config import DeniedError, UserError, asker
from s2s.hosted import deletion
from s2s.lessons import ChoiceQuestion, Given, NumberQuestion, Question, SentenceQuestion, classes
from s2s.lessons.classes import ANSWERS, CLASS_DAYS, DAY, PARTICIPANTS
from s2s.processes import queue

NOW = 1_800_000_000.0
LESSON = "five-minutes"


def opened() -> str:
    with asker.acting_as("teacher"):
        return lessons.open_class(LESSON, now=NOW).id


def seen(id: str, now: float = NOW + 10) -> list[tuple[int, int, int]]:
    with asker.acting_as("teacher"):
        found = lessons.participants(id, now=now)
    return [(each.number, each.step, each.n_right) for each in found]


def test_only_who_agrees_is_seen_and_only_while_they_agree() -> None:
    id = opened()
    with asker.acting_as("ann"):
        lessons.note_participant(id, 2, 1, now=NOW)
        assert not lessons.is_participant(id)
    assert seen(id) == []
    for number, name in enumerate(("ann", "bob")):
        with asker.acting_as(name):
            lessons.join_class(id, 1, 0, now=NOW + number)
    with asker.acting_as("ann"):
        lessons.note_participant(id, 3, 2, now=NOW + 5)
        lessons.join_class(id, 3, 2, now=NOW + 6)  # another tab
    assert seen(id) == [(1, 3, 2), (2, 1, 0)]
    with asker.acting_as("ann"):
        lessons.leave_class(id)
    assert seen(id) == [(1, 1, 0)]


def test_two_tabs_that_join_at_the_same_moment_are_one_participant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    id = opened()
    monkeypatch.setattr(classes, "is_participant", lambda id: False)  # both have just looked
    with asker.acting_as("ann"):
        for step in (1, 2):
            lessons.join_class(id, step, 0, now=NOW)
    assert seen(id) == [(1, 2, 0)]


def test_who_was_past_the_end_of_a_lesson_that_is_shorter_now_is_at_its_end() -> None:
    with asker.acting_as("teacher"):
        id = lessons.open_class("way-of-a-sentence", now=NOW).id
    with asker.acting_as("ann"):
        lessons.join_class(id, 9, 7, now=NOW)
    assert seen(id) == [(1, 6, 7)]


def test_no_name_is_stored() -> None:
    id = opened()
    with asker.acting_as("ann"):
        lessons.join_class(id, 1, 0, now=NOW)
    with queue.begin() as connection:
        rows = connection.execute(sa.select(PARTICIPANTS)).all()
    assert "ann" not in str(rows)


def test_others_see_nothing_and_close_nothing() -> None:
    id = opened()
    with asker.acting_as("ann"):
        lessons.join_class(id, 1, 0, now=NOW)
        for act in (lessons.participants, lessons.close_class):
            told = []
            for each in (id, id[::-1]):
                with pytest.raises(UserError) as refused:
                    act(each)
                told.append(str(refused.value).replace(each, ""))
            assert told[0] == told[1]
        assert lessons.own_classes(now=NOW) == []
    assert seen(id) == [(1, 1, 0)]


def test_what_is_closed_or_old_is_forgotten() -> None:
    id = opened()
    with asker.acting_as("ann"):
        lessons.join_class(id, 1, 0, now=NOW)
    assert seen(id, NOW + DAY + 1) == []
    with pytest.raises(UserError, match="is closed"):
        lessons.find_class(id, now=NOW + CLASS_DAYS * DAY + 1)
    lessons.delete_expired_classes(NOW + DAY + 1)
    with asker.acting_as("ann"):
        assert not lessons.is_participant(id)
        lessons.join_class(id, 1, 0, now=NOW)
    with asker.acting_as("teacher"):
        lessons.close_class(id)
        assert lessons.own_classes(now=NOW) == []
    with asker.acting_as("ann"):
        assert not lessons.is_participant(id)
        with pytest.raises(UserError, match="nobody sees"):
            lessons.join_class(id, 1, 0, now=NOW)
    with asker.acting_as("teacher"), pytest.raises(UserError, match="no lesson"):
        lessons.open_class("none")


def test_a_deleted_workspace_is_in_no_class() -> None:
    id = opened()
    for name in ("ann", "bob"):
        with asker.acting_as(name):
            lessons.join_class(id, 1, 0, now=NOW)
    with asker.acting_as("ann"):
        deletion.delete_workspace("ann")
    assert len(seen(id)) == 1
    with asker.acting_as("teacher"):
        deletion.delete_workspace("teacher")
    with asker.acting_as("bob"):
        assert not lessons.is_participant(id)


def answers(name: str, id: str, step: int, *given: tuple[Given, str]) -> None:
    with asker.acting_as(name):
        for each, level in given:
            lessons.note_answer(id, asked(step), each, level)


def asked(step: int) -> Question:
    question = lessons.LESSONS[LESSON].steps[step - 1].question
    assert question
    return question


def test_results_count_first_tries_and_wrong_answers_of_those_who_agree() -> None:
    id = opened()
    for name in ("ann", "bob", "cleo"):
        with asker.acting_as(name):
            lessons.join_class(id, 1, 0)
    answers("ann", id, 5, (0, "wrong"), (1, "right"))
    answers("ann", id, 5, (0, "wrong"))  # again
    answers("bob", id, 5, (1, "right"))
    answers("cleo", id, 5, (0, "wrong"))
    answers("dan", id, 5, (1, "right"))  # has not agreed
    answers("ann", id, 4, ((2, 3), "wrong"))
    answers("bob", id, 2, (None, "nearly"))
    with asker.acting_as("teacher"):
        found = {row.step: row for row in lessons.class_results(id)}
    assert found.keys() == {2, 3, 4, 5}
    last = found[5]
    assert (last.n_answered, last.n_right_first, last.n_right) == (3, 1, 2)
    question = asked(5)
    assert isinstance(question, ChoiceQuestion)
    assert last.wrong == ((question.options[0], 2),)
    assert found[4].wrong == (("head 3 of layer 2", 1),)
    assert (found[3].n_answered, found[3].wrong) == (0, ())
    with asker.acting_as("ann"):
        lessons.leave_class(id)
        with pytest.raises(DeniedError):
            lessons.class_results(id)
    with asker.acting_as("teacher"):
        assert lessons.class_results(id)[-1].n_answered == 2
        lessons.close_class(id)
    with queue.begin() as connection:
        assert not connection.execute(sa.select(ANSWERS)).all()


def test_a_number_is_stored_and_what_else_is_typed_is_not() -> None:
    id = opened()
    number = NumberQuestion("How many?", 12, 0, "%")
    with asker.acting_as("ann"):
        lessons.join_class(id, 1, 0)
        lessons.note_answer(id, number, " 1,250.0 % ", "wrong")
        lessons.note_answer(
            id, SentenceQuestion("Write one.", "one_word_changed"), "my secret", "wrong"
        )
        with pytest.raises(UserError, match="is no number"):
            lessons.note_answer(id, number, "my secret", "wrong")
    with queue.begin() as connection:
        stored = connection.execute(sa.select(ANSWERS.c.answer)).scalars().all()
    assert sorted(stored) == ["", "1250"]
