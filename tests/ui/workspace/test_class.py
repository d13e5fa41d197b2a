"""A class on a hosted server: its teacher opens it, a participant agrees and stops, a closed one says so."""

import pytest
from streamlit.testing.v1 import AppTest

from s2s import lessons
from s2s.config import asker
from s2s.hosted import COOKIE, Key, new_key
from s2s.links import short as short_links
from s2s.ui.shell import visitors
from tests.screen import opened, page_text


def keys(screen: AppTest) -> set[str]:
    return {str(each.key) for each in screen.button}


def test_a_class_from_its_link_to_its_end(key: Key, monkeypatch: pytest.MonkeyPatch) -> None:
    teacher = opened("lessons", set="view:classes")
    assert "no class open" in page_text(teacher)
    teacher.button(key="open class").click().run()
    with asker.acting_as(key.digest):
        (made,) = lessons.own_classes()
    letters = teacher.code[-1].value.rpartition("/")[2]
    view = {"lesson": f"{made.lesson}.1", "class": made.id}
    assert short_links.find(letters).content.view == view
    assert "The class is open" in teacher.success[0].value
    assert "Nobody shares" in page_text(teacher)

    theirs = new_key()
    with monkeypatch.context() as other:
        other.setattr(visitors, "cookies", lambda: {COOKIE: theirs.signed})
        pupil = opened("", **{"lesson": f"{made.lesson}.2", "class": made.id})
        assert "and no name" in page_text(pupil)
        pupil.button(key="join class").click().run()
        assert "teacher sees at which step" in page_text(pupil)
    assert "No question has been answered yet." in page_text(teacher.run())
    with monkeypatch.context() as other:
        other.setattr(visitors, "cookies", lambda: {COOKIE: theirs.signed})
        pupil.button(key=f"lesson example {made.lesson}.2").click().run()
        assert not pupil.exception
    teacher.run()
    people, results = (each.value for each in teacher.dataframe)
    assert list(people["step"]) == [2]
    answered = results[results["step"] == 2].iloc[0]
    assert (answered["answered"], answered["right at first try"]) == (1, 1)
    with monkeypatch.context() as other:
        other.setattr(visitors, "cookies", lambda: {COOKIE: theirs.signed})
        pupil.button(key="leave class").click().run()
        assert not {"join class", "leave class"} & keys(pupil)
    teacher.run()
    assert "Nobody shares" in page_text(teacher)
    assert "No question has been answered yet." in page_text(teacher)
    teacher.button(key=f"close {made.id}").click().run()
    assert "no class open" in page_text(teacher)
    late = opened("", **{"lesson": f"{made.lesson}.2", "class": made.id})
    assert "is closed; the lesson is open" in page_text(late)
    assert "join class" not in keys(late)
    assert not late.exception
