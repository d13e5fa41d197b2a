"""A lesson beside the pages: its steps open their views, questions are checked, links carry it."""

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from s2s.lessons import EXERCISES, LESSONS, Lesson, all_progress, lesson_after, note_step
from s2s.processes import queue
from tests.screen import box, link, opened, page_text

SENTENCE = "the red house is old"


def heading(screen: AppTest) -> str:
    """That of the panel; empty outside a lesson."""
    bodies = (str(each.proto.body) for each in screen.get("html"))
    return next((body for body in bodies if 'class="lesson-heading"' in body), "")


def go(screen: AppTest, **params: str) -> AppTest:
    """To another address of the same page, as one of our links does."""
    screen.query_params.clear()
    screen.query_params.update(params)
    return screen.run()


def to_page(screen: AppTest, path: str) -> AppTest:
    """As the menu does it."""
    screen._page_hash = calc_hash(path)
    return go(screen)


def press(screen: AppTest, label: str) -> AppTest:
    next(each for each in screen.button if each.label == label).click().run()
    assert not screen.exception
    return screen


def verdict(screen: AppTest) -> str:
    found: list[Any] = [*screen.success, *screen.warning, *screen.info]
    return " ".join(str(each.value) for each in found)


def answers() -> dict[int, str]:
    return dict(all_progress()["five-minutes"].answers)


def test_a_lesson_is_walked() -> None:
    screen = opened("", lesson="five-minutes.1")
    assert "Step 1 of 5" in heading(screen)
    assert box(screen) == SENTENCE
    assert answers() == {1: ""}
    screen.text_input(key="src").set_value("the cat sleeps").run()
    go(screen, lesson="five-minutes.2")
    assert "Step 2 of 5" in heading(screen)
    assert 'class="seen"' in heading(screen)
    assert box(screen) == SENTENCE
    assert "Nothing has changed" in verdict(press(screen, "Check"))
    assert "Right" in verdict(press(screen, "the red book is old"))
    assert answers() == {1: "", 2: "right"}
    assert "lesson=five-minutes.2" in link(screen)
    assert "src=the+red+book+is+old" in link(screen)
    screen.text_input(key="src").set_value("the cat sleeps").run()
    assert "Right" not in verdict(screen)
    screen.text_input(key="src").set_value("the red car is old").run()
    assert "Right" in verdict(screen)  # without a press on Check
    screen.segmented_control(key="head").set_value("2").run()
    press(screen, "Show the step's view again")
    assert (box(screen), screen.session_state["head"]) == (SENTENCE, "mean")
    press(screen, "Close lesson")
    assert not heading(screen)
    assert "lesson" not in link(screen)
    assert box(screen) == SENTENCE


def test_a_shared_view_keeps_what_its_sender_changed() -> None:
    screen = opened(
        "attention",
        lesson="five-minutes.4",
        src="the cat sleeps",
        layer="2",
        head="3",
        kind="cross",
    )
    assert "Step 4 of 5" in heading(screen)
    assert (box(screen), screen.session_state["head"]) == ("the cat sleeps", "3")
    assert any("st-key-settings" in str(each.proto.body) for each in screen.get("html"))
    layer, head = (f"lesson answer five-minutes.4 {what}" for what in ("layer", "head"))
    assert "Not head 3 of layer 2" in verdict(screen)  # the picture's
    assert "You are looking at **head 3 of layer 2**" in page_text(screen)
    screen.segmented_control(key="head").set_value("mean").run()
    assert "choose a layer" in verdict(press(screen, "Check"))
    assert screen.segmented_control(key=layer).proto.required
    screen.segmented_control(key=layer).set_value(1)
    screen.segmented_control(key=head).set_value(4)
    assert "Right" in verdict(press(screen, "Check"))
    note_step("five-minutes", 1)
    for number in (2, 3):
        note_step("five-minutes", number, "right")
    screen = opened("", lesson="five-minutes.5")
    assert "All 5 steps seen, 3 of 4 questions right; open: step 5." in page_text(screen)
    assert "the last step" in page_text(screen)
    assert heading(to_page(screen, "attention"))  # it is not finished
    screen = opened(
        "compare", lesson="five-minutes.5", **LESSONS["five-minutes"].steps[4].view.values
    )
    screen.radio(key="lesson answer five-minutes.5").set_value(0).run()
    assert "although greedy search took" in verdict(screen)
    screen.radio(key="lesson answer five-minutes.5").set_value(1).run()
    assert "Right" in verdict(screen)
    assert "You have finished this lesson." in verdict(screen)
    assert not heading(to_page(screen, "attention"))
    assert "Its panel is closed" in screen.toast[0].value


def test_a_typed_number_is_checked_by_its_button() -> None:
    step = LESSONS["decoding"].steps[1].view
    screen = opened(step.page, lesson="decoding.2", **step.values)
    for typed, said in (("two", "is no number"), ("3", "is smaller"), ("2.0", "Right")):
        screen.text_input(key="lesson answer decoding.2").set_value(typed)
        assert said in verdict(press(screen, "Check"))


@pytest.mark.parametrize(
    ("path", "written", "said", "shown"),
    [
        ("", "five-minute.1", "There is no lesson `five-minute`", ""),
        ("", "**x**<b>", "There is no lesson", ""),
        ("", "five-minutes.9", "its steps are 1 to 5", "Step 1 of 5"),
        ("attention", "five-minutes.1", "Back to the step", "Step 1 of 5"),
    ],
)
def test_a_link_to_what_is_not_there_is_a_sentence(
    path: str, written: str, said: str, shown: str
) -> None:
    screen = opened(path, lesson=written)
    assert not screen.exception
    text = " ".join((verdict(screen), page_text(screen), *panel_links(screen)))
    assert said in text.replace("\\", "")
    assert shown in heading(screen)
    assert bool(shown) == bool(heading(screen))


def test_without_its_database_a_lesson_goes_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise queue.UnreachableError("The queue cannot be reached now; try again in a minute.")

    screen = opened("lessons")
    monkeypatch.setattr(queue, "begin", away)
    screen.run()
    assert "progress cannot be shown" in verdict(screen)
    assert "Five minutes" in str(screen.subheader[0].value)
    go(screen, lesson="five-minutes.1")
    assert "Step 1 of 5" in heading(screen)


def panel_links(screen: AppTest) -> list[str]:
    """The labels of all links, as they are displayed."""
    return [re.sub(r"\\(.)", r"\1", str(each.proto.label)) for each in screen.get("page_link")]


@pytest.mark.parametrize(("name", "lesson"), [[*LESSONS.items()][at] for at in (1, -1)])
def test_a_lesson_begins_and_leads_on(name: str, lesson: Lesson) -> None:
    first, last = lesson.steps[0], lesson.steps[-1]
    screen = opened(first.view.page, lesson=name)
    assert f"Step 1 of {len(lesson.steps)}" in heading(screen)
    if src := first.view.values.get("src"):
        assert box(screen) == src
    assert "Next step" in panel_links(screen)
    assert any(each.label == "Fold" for each in screen.button)  # a phone shows the note at once
    screen = opened(last.view.page, lesson=f"{name}.{len(lesson.steps)}")
    after = lesson_after(lesson)
    assert (f"Next lesson: {after.name}" if after else "Next: the exercises") in panel_links(screen)


def test_the_last_exercise_ends_with_the_list() -> None:
    lesson = list(EXERCISES.values())[-1]
    last = lesson.steps[-1]
    screen = opened(last.view.page, lesson=f"{lesson.id}.{len(lesson.steps)}")
    assert "Finish" in panel_links(screen)
