"""A class on the screen: the teacher's list, and what a participant is asked."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from s2s import lessons
from s2s.config import asker
from s2s.lessons import LESSONS, ChoiceQuestion, NumberQuestion, add_lesson, classes
from s2s.ui.kit import plain
from s2s.ui.kit.action_button import register
from s2s.ui.lessons.teacher import HARDEST
from s2s.ui.shell import lesson_class, visitors
from tests.screen import opened, page_text

FIRST = LESSONS["five-minutes"]
MARKUP = '<img src=x onerror="alert(1)"> [a](javascript:b) :red[c]'


@pytest.fixture
def visit(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Opens an address as a visitor with this workspace."""
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    monkeypatch.setattr(visitors, "cookies", dict)

    def as_visitor(workspace: str, path: str = "", **params: str) -> AppTest:
        monkeypatch.setattr(visitors, "workspace_of_visitor", lambda: workspace)
        return opened(path, **params)

    return as_visitor


def test_a_teacher_sees_who_agrees_until_the_class_is_closed(visit: Callable[..., AppTest]) -> None:
    with asker.acting_as("teacher"):
        own = add_lesson(replace(FIRST, title=MARKUP))
        lessons.share_lesson(own.id, is_shared=True)
        add_lesson(FIRST)
    hers = visit("teacher", "lessons", set="view:classes")
    assert "You have no class open." in page_text(hers)
    assert "once others may open it by its link" in page_text(hers)
    hers.selectbox(key="lesson of class").set_value(own.id).run()
    hers.button(key="open class").click().run()
    assert "Nobody shares their step yet." in page_text(hers)
    assert hers.subheader[0].value == plain(MARKUP)
    assert any("QR code of the class" in str(each.proto.body) for each in hers.get("html"))
    with asker.acting_as("teacher"):
        (row,) = lessons.own_classes()
    link = {"lesson": f"{own.id}.1", "class": row.id}

    his = visit("bob", **link)
    assert lesson_class.QUESTION in page_text(his)
    his.button(key="join class").click().run()
    assert "Your teacher sees at which step you are, and your answers." in page_text(his)
    assert lesson_class.QUESTION not in page_text(his)
    visit("bob", lesson=f"{FIRST.id}.2", **{"class": row.id})  # another lesson
    hers = visit("teacher", "lessons", set="view:classes")
    assert "Participants who share their step: 1." in page_text(hers)
    assert hers.dataframe[0].value["step"].tolist() == [1]
    with asker.acting_as("teacher"):
        lessons.share_lesson(own.id, is_shared=False)
    assert "Participants cannot open this lesson" in page_text(hers.run())
    hers.button(key=f"close {row.id}").click().run()
    assert "You have no class open." in page_text(hers)
    with asker.acting_as("teacher"):
        lessons.share_lesson(own.id, is_shared=True)
    his = visit("bob", **link)
    assert "The class of this link is closed" in page_text(his)
    assert lesson_class.QUESTION not in page_text(his)
    assert not his.exception


def test_a_double_click_opens_one_class(visit: Callable[..., AppTest]) -> None:
    hers = visit("teacher", "lessons", set="view:classes")
    hers.button(key="open class").click().run()
    register(hers.session_state["clicks on open class"], 0)  # the button as it was drawn before
    hers.run()
    assert not hers.exception
    with asker.acting_as("teacher"):
        assert len(lessons.own_classes()) == 1


def test_why_no_class_is_opened_is_said(
    visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classes, "MOST_CLASSES", 0)
    hers = visit("teacher", "lessons", set="view:classes")
    hers.button(key="open class").click().run()
    assert "You have 0 classes, the most that there may be" in page_text(hers)
    assert "You have no class open." in page_text(hers)


@pytest.mark.parametrize("id", [MARKUP, "a" * 5000])
def test_a_class_that_is_not_there_is_said(visit: Callable[..., AppTest], id: str) -> None:
    his = visit("bob", lesson="five-minutes.1", **{"class": id})
    assert not his.exception
    assert "The class of this link is closed" in page_text(his)
    assert "Step 1 of 5" in str([each.proto.body for each in his.get("html")])


def sent(screen: AppTest) -> str:
    """All that the browser gets."""
    assert not screen.exception
    return "".join(str(each.proto) for each in screen._tree if getattr(each, "proto", None))


def test_the_answer_key_is_the_teacher_s_and_no_link_of_a_pupil_has_it(
    visit: Callable[..., AppTest],
) -> None:
    choice = ChoiceQuestion("Which?", ("red", "blue"), 1, ("wrongreply", "rightreply"))
    number = NumberQuestion("How many?", 60506624.5, 0.5)
    view = lessons.View("lessons")
    steps = tuple(lessons.Step("A", "note", view, question=each) for each in (choice, number))
    with asker.acting_as("teacher"):
        own = add_lesson(replace(FIRST, steps=steps))
        lessons.share_lesson(own.id, is_shared=True)
        row = lessons.open_class(own.id)
    for key in (f"view:own,key:lesson.{own.id}", f"view:classes,key:class.{row.id}"):
        hers = sent(visit("teacher", "lessons", set=key))
        assert "rightreply" in hers
        assert "60506624" in hers
    with asker.acting_as("teacher"):
        rows = lessons.answer_key(own)
    assert [(each.right, each.why) for each in rows] == [
        ("blue", "rightreply"),
        ("60506624.5 ± 0.5", ""),
    ]
    for link in (
        {"lesson": f"{own.id}.1", "class": row.id},
        {"lesson": f"{own.id}.2", "class": row.id},
        {"set": f"view:own,key:lesson.{own.id}"},
        {"set": f"view:own,edit:{own.id}"},
        {"set": f"view:classes,key:class.{row.id}"},
        {"set": f"view:classes,key:class.{own.id}", "class": row.id},
    ):
        his = visit("bob", "lessons", **link)
        assert not re.search("rightreply|wrongreply|60506624", sent(his)), link
    his = visit("bob", "lessons", lesson=f"{own.id}.1")
    his.radio(key=f"lesson answer {own.id}.1").set_value(0).run()
    assert re.findall("rightreply|wrongreply|60506624", sent(his)) == [
        "wrongreply"
    ]  # of his answer


@pytest.mark.parametrize(
    ("n_answered", "n_right_first", "is_said"), [(4, 1, True), (4, 2, False), (2, 0, False)]
)
def test_the_hardest_question_is_named_where_most_were_wrong(
    n_answered: int, n_right_first: int, is_said: bool
) -> None:
    question = NumberQuestion("How many?", 1, 0)
    row = lessons.QuestionResult(3, question, n_answered, n_right_first, n_right_first, ())
    said = HARDEST.said(row)
    assert ("step 3 is the hardest: 1 of 4" in said) is is_said is bool(said)
