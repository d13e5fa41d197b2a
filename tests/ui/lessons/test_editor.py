"""A view becomes a step of a lesson of one's own; the lesson is changed, and what is wrong is said."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from s2s import access
from s2s.lessons import LESSONS, Lesson, View, add_lesson, own_lessons
from tests.screen import opened, page_text

FIRST = LESSONS["five-minutes"]


def field(found: Any, label: str) -> Any:
    return next(each for each in found if each.label == label)


def press(screen: AppTest, label: str) -> AppTest:
    field(screen.button, label).click().run()
    assert not screen.exception
    return screen


def mine() -> Lesson:
    (own,) = own_lessons()
    return own.lesson


def test_the_view_of_a_page_becomes_a_step() -> None:
    screen = opened("attention", src="the red house", layer="1", head="3", kind="cross")
    screen.toggle(key="add to lesson").set_value(True).run()
    field(screen.text_input, "Title of the lesson").set_value("Heads")
    field(screen.text_area, "Note").set_value("See the [diagonal](x).")
    press(screen, "Add")
    assert "A step's title is" in page_text(screen)
    field(screen.text_input, "Title of the step").set_value("One head")
    assert "A note has a link" in page_text(press(screen, "Add"))
    field(screen.text_area, "Note").set_value("See the **diagonal**.")
    press(screen, "Add")
    (step,) = mine().steps
    assert (mine().title, step.title, step.note) == ("Heads", "One head", "See the **diagonal**.")
    assert step.view.page == "attention"
    wanted = {"run": "demo-en-fr", "src": "the red house", "layer": "1", "head": "3"}
    assert wanted.items() <= step.view.values.items()
    assert not screen.text_area
    screen.toggle(key="add to lesson").set_value(True).run()
    field(screen.text_input, "Title of the step").set_value("The same again")
    press(screen, "Add")
    assert [each.title for each in mine().steps] == ["One head", "The same again"]


def test_a_lesson_is_changed() -> None:
    made = add_lesson(FIRST)
    screen = opened("lessons", set=f"view:own,edit:{made.id}")
    field(screen.text_input, "Summary").set_value("Another summary.")
    press(screen, "Save")
    assert mine().summary == "Another summary."
    titles = [step.title for step in FIRST.steps]
    screen.button(key=f"edit {made.id} 5 Move down 1").click().run()
    assert [step.title for step in mine().steps] == [titles[1], titles[0], *titles[2:]]
    screen.button(key=f"edit {made.id} 5 Delete the step 2").click().run()
    assert [step.title for step in mine().steps] == [titles[1], *titles[2:]]
    field(screen.text_input, "View").set_value("https://example.org/")
    assert "no link within this program" in page_text(press(screen, "Save the step"))
    field(screen.text_input, "View").set_value("/steps?src=the+cat")
    field(screen.text_input, "Hidden controls").set_value("chips, layer")
    press(screen, "Save the step")
    assert mine().steps[0].view == View("steps", {"src": "the cat"})
    assert mine().steps[0].hidden == ("chips", "layer")
    assert mine().steps[0].question == FIRST.steps[1].question
    press(screen, "Back to your lessons")
    assert len(screen.subheader) == 1


@pytest.mark.parametrize("id", ["x" * 16, "<b>"])
def test_another_s_lesson_cannot_be_opened_for_change(id: str) -> None:
    with access.acting_as("ana"):
        add_lesson(FIRST)
    screen = opened("lessons", set=f"view:own,edit:{id}")
    assert not screen.exception
    assert "You have no lesson" in page_text(screen)
    assert not screen.text_area
