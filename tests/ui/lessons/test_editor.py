"""A view becomes a step of a lesson of one's own; the lesson is changed, and what is wrong is said."""

import re
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from s2s.config import UserError, asker
from s2s.lessons import (
    LESSONS,
    ChoiceQuestion,
    HeadQuestion,
    Lesson,
    NumberQuestion,
    RunQuestion,
    SentenceQuestion,
    View,
    add_lesson,
    add_step,
    change_lesson,
    own_lessons,
)
from s2s.links import short as short_links
from s2s.ui.kit.new_step import note_and_question
from s2s.ui.lessons.links import given_view
from tests.screen import opened, page_text

SHIPPED = LESSONS["five-minutes"]
ASKS = replace(
    SHIPPED.steps[0], question=NumberQuestion("How many tokens?", "output_tokens", 0, "", "Count.")
)
FIRST = replace(SHIPPED, steps=(ASKS, *SHIPPED.steps[1:]))


def field(found: Any, label: str) -> Any:
    return next(each for each in found if each.label == label)


def press(screen: AppTest, label: str) -> AppTest:
    field(screen.button, label).click().run()
    assert not screen.exception
    return screen


def mine() -> Lesson:
    (own,) = own_lessons()
    return own.lesson


def write(screen: AppTest, **texts: str) -> AppTest:
    """Fills fields of the open step, and draws what depends on them."""
    fill(screen, **texts)
    return screen.run()


def fill(screen: AppTest, **texts: str) -> None:
    """Fills fields of the open step, by what their keys say of them."""
    for name, text in texts.items():
        widgets = [*screen.text_input, *screen.text_area, *screen.selectbox]
        key = rf"\S+ \w+ \d+ {name.replace('_', ' ')}"
        (widget,) = [each for each in widgets if re.fullmatch(key, str(each.key))]
        widget.set_value(text)


def test_a_page_becomes_a_step_and_all_that_is_written_is_saved_and_said() -> None:
    screen = opened("attention", src="the red house", layer="1", head="3", kind="cross")
    assert not screen.text_area
    press(screen, "Add to a lesson")
    assert not any(each.label == "Add to a lesson" for each in screen.button)
    assert "Step 1 is saved: this page as you see it." in screen.success[0].value
    assert "No question is saved yet" in page_text(screen)
    (step,) = mine().steps
    assert (mine().title, step.title) == ("My lesson", "Attention: the red house")
    wanted = {"run": "demo-en-fr", "src": "the red house", "layer": "1", "head": "3"}
    assert (step.view.page, wanted.items() <= step.view.values.items()) == ("attention", True)
    (text,) = screen.text_area
    text.set_value("See the [diagonal](x).").run()
    assert "Not saved. A note has a link" in page_text(screen)
    assert (mine().steps, screen.button(key="add steps").disabled) == ((step,), True)
    text.set_value("See it.\nHow many words?\nthree").run()
    assert "The right answer: three is no number" in page_text(screen)
    text.set_value("See **it**. Or not.\n\nHow many words?\n3 ± 0.5").run()
    assert mine().steps[0].question == NumberQuestion("How many words?", 3.0, 0.5, "")
    assert (mine().title, mine().steps[0].note) == ("See it", "See **it**. Or not.")
    assert "your question, whose right answer is **3 ± 0\\.5**" in screen.success[0].value
    assert "No question is saved yet" not in page_text(screen)
    field(screen.text_input, "Title of the lesson").set_value("Heads").run()
    assert (mine().title, mine().summary) == ("Heads", "Heads")
    assert "title is saved" in page_text(screen)
    screen.text_input(key="src").set_value("the red book").run()  # the step is what is on the page
    assert mine().steps[0].view.values["src"] == "the red book"
    assert mine().steps[0].title == "Attention: the red book"
    (short,) = [each.value for each in screen.code if "s/" in each.value]
    assert short_links.find(short.rpartition("/")[2]).content.view == {"lesson": f"{mine().id}.1"}
    press(screen, "Attention again")
    assert [each.title for each in mine().steps] == ["Attention: the red book"] * 2
    assert screen.text_area[0].value == ""
    press(screen, "Take this page back")
    assert len(mine().steps) == 1
    assert field(screen.selectbox, "Lesson").value == mine().id
    press(screen, "Add this page as step 2")
    assert len(mine().steps) == 2
    press(screen, "Close")
    assert not screen.text_area


def test_a_page_is_added_by_the_button_that_opens_it() -> None:
    screen = opened("lessons")
    screen.session_state["lessons view"] = "own"
    screen.run()
    screen.button(key="add steps").click().run()
    screen._page_hash = calc_hash("steps")  # as a browser says it
    screen.text_area[0].set_value("Look.")
    screen.button(key="add attention").click().run()
    assert not screen.exception
    assert [(step.view.page, step.note) for step in mine().steps] == [
        ("steps", "Look."),
        ("attention", ""),
    ]
    assert "1. Why each word: note :material/check:\n2. **Attention**: no note yet" in page_text(
        screen
    )
    screen._page_hash = calc_hash("attention")
    press(screen, "Take this page back")
    changed = replace(mine(), title="Changed elsewhere")
    change_lesson(changed, mine())
    screen.run()
    assert "Add this page as step 2" in [each.label for each in screen.button]
    assert mine() == changed


@pytest.mark.parametrize(
    ("written", "note", "asked"),
    [
        ("", "", None),
        ("Why?", "Why?", None),
        ("Why?\n\nBecause.", "Why?\n\nBecause.", None),
        ("Which?\nred\n the\nhouse ", "", ("house", "red", "the")),
        ("Look.\nSee?\n\nLook: which?  \nred\nblue?", "Look.\nSee?", ("blue?", "red")),
    ],
)
def test_lines_below_a_last_question_are_its_answers(
    written: str, note: str, asked: tuple[str, ...] | None
) -> None:
    found, question = note_and_question(written)
    assert (found, question and question.options) == (note, asked)
    if question:
        assert question.options[question.answer] == "red"


def test_a_lesson_is_changed() -> None:
    made = add_lesson(FIRST)
    screen = opened("lessons", set=f"view:own,edit:{made.id}")
    field(screen.text_input, "Summary").set_value("Another summary.")
    press(screen, "Save")
    assert mine().summary == "Another summary."
    assert "summary are saved" in screen.success[0].value
    titles = [step.title for step in FIRST.steps]
    fill(screen, note="Not saved yet.")
    press(screen, "Move down")
    assert [step.title for step in mine().steps] == [titles[1], titles[0], *titles[2:]]
    assert screen.radio[0].value == 2
    assert "This is step 2 now." in [each.value for each in screen.success]
    assert "Not saved yet." in [each.value for each in screen.text_area]
    press(screen, "Delete the step")
    assert [step.title for step in mine().steps] == [titles[1], *titles[2:]]
    press(screen, "Undo")
    assert [step.title for step in mine().steps] == [titles[1], titles[0], *titles[2:]]
    press(screen, "Duplicate")
    assert [step.title for step in mine().steps][1:3] == [titles[0]] * 2
    field(screen.text_input, "Link of a view").set_value("/nothing")
    assert "There is no page" in page_text(press(screen, "Add a step"))
    field(screen.text_input, "Link of a view").set_value("/steps?src=the+cat")
    press(screen, "Add a step")
    assert mine().steps[-1].view == View("steps", {"src": "the cat"})
    assert screen.radio[0].value == len(mine().steps)
    press(screen, "Back to your lessons")
    assert len(screen.subheader) == 1


def test_an_unsaved_question_stays_while_another_step_is_open() -> None:
    made = add_lesson(FIRST)
    screen = write(opened("lessons", set=f"view:own,edit:{made.id}"), kind="head")
    write(screen, prompt="How many?")
    for number in (2, 1):
        screen.radio[0].set_value(number).run()
    assert field(screen.selectbox, "Question").value == "head"
    assert field(screen.text_area, "What is asked").value == "How many?"


def test_what_another_tab_has_added_is_not_overwritten() -> None:
    made = add_lesson(FIRST)
    screen = opened("lessons", set=f"view:own,edit:{made.id}")
    added = add_step(made.id, FIRST.steps[0])
    assert "has been changed since you opened it" in page_text(press(screen, "Move down"))
    assert mine() == added
    press(screen, "Move down")  # of the lesson as it is now
    assert len(mine().steps) == len(added.steps)


HERE = "http://192.168.1.5:8501/"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("https://example.org/attention", "is a link to another server; give one that begins with"),
        ("http://192.168.1.50:8501/attention", "another server"),
        (f"{HERE}nothing?src=a", "There is no page `/nothing`"),
        (f"{HERE}attention?owner=ann", "No view has the value `owner`"),
        ("attention?src=a", "no link within this program"),
        ("javascript:alert(1)", "no link within this program"),
        ("http://[", "no link within this program"),
        (f"{HERE}s/nothing", "is no short link"),
        ("/s/BCD-FGHJ", "There is no short link BCD-FGHJ"),
    ],
)
def test_a_view_that_cannot_be_shown_is_refused_in_a_sentence(typed: str, said: str) -> None:
    with pytest.raises(UserError) as refused:
        given_view(typed, HERE)
    assert said in str(refused.value)


def test_a_view_is_what_share_gives() -> None:
    view = View("attention", {"src": "the cat", "set": "view:lines"})
    link = short_links.make(short_links.Content("attention", {**view.values, "lesson": "x.1"}))
    query = "src=the+cat&set=view%3Alines"
    for typed in (
        f"/attention?{query}",
        f" {HERE}attention?v=1&{query}&lesson=five-minutes.2 ",
        f"https://192.168.1.5:8501/attention?{query}#x",
        f"/s/{link.letters.lower()}",
        f"{HERE}s/{short_links.written(link.letters)}",
    ):
        assert given_view(typed, HERE) == view
    assert given_view("https://example.org/s2s/", "https://example.org/s2s/") == View("")
    assert given_view("https://a.org/s2s/steps", "https://a.org/s2s/") == View("steps")


def test_a_step_gets_a_question() -> None:
    made = add_lesson(FIRST)
    screen = opened("lessons", set=f"view:own,edit:{made.id}")
    save = "Save the step"
    write(screen, kind="choice")
    write(screen, prompt="Which word?", hint="", option_0="the *red*", option_1="house")
    fill(screen, option_2="", reply_1="Yes: **house**.")
    assert "It is not said which option is right" in page_text(press(screen, save))
    assert mine().steps[0] == FIRST.steps[0]
    right = next(each for each in screen.selectbox if each.label == "The right option")
    assert right.options == ["the *red*", "house"]
    right.set_value(1)
    press(screen, save)
    assert "Step 1 is saved" in screen.success[0].value
    assert mine().steps[0].question == ChoiceQuestion(
        "Which word?", ("the *red*", "house"), 1, ("Not this one.", "Yes: **house**.")
    )
    write(screen, kind="number")
    fill(screen, prompt="How many?", written="many", tolerance="0,5", unit="tokens")
    assert "The right number: many is no number" in page_text(press(screen, save))
    fill(screen, written="12 tokens")
    press(screen, save)
    assert mine().steps[0].question == NumberQuestion("How many?", 12.0, 0.5, "tokens")
    fill(screen, answer="output_tokens", tolerance="wide")
    assert "The tolerance: wide is" in page_text(press(screen, save))
    fill(screen, tolerance="0", hint="Count.")
    press(screen, save)
    wanted = NumberQuestion("How many?", "output_tokens", 0.0, "tokens", "Count.")
    assert mine().steps[0].question == wanted
    write(screen, kind="head")
    fill(screen, attention="encoder", written="1.3, 2.0")
    assert "2.0 names no head" in page_text(press(screen, save))
    fill(screen, written="1.3, 2.1", prompt="Which?", hint="")
    press(screen, save)
    assert mine().steps[0].question == HeadQuestion("Which?", "encoder", ((1, 3), (2, 1)))
    for kind, condition, type in (
        ("sentence", "search_error", SentenceQuestion),
        ("run", "fine_tuned_run", RunQuestion),
    ):
        write(screen, kind=kind)
        fill(screen, condition=condition, prompt="Find one.")
        press(screen, save)
        assert mine().steps[0].question == type("Find one.", condition)
    fill(screen, kind="")
    press(screen, save)
    assert mine().steps[0].question is None
    assert mine().steps[1:] == FIRST.steps[1:]


@pytest.mark.parametrize("id", ["x" * 16, "<b>"])
def test_another_s_lesson_cannot_be_opened_for_change(id: str) -> None:
    with asker.acting_as("ana"):
        add_lesson(FIRST)
    screen = opened("lessons", set=f"view:own,edit:{id}")
    assert not screen.exception
    assert "You have no lesson" in page_text(screen)
    assert not screen.text_area
