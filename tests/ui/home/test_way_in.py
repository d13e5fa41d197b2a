"""The way into the lessons on Home."""

from streamlit.testing.v1 import AppTest

from s2s.lessons import LESSONS, Lesson, note_step
from tests.screen import opened

TITLE = LESSONS["five-minutes"].title


def ways(screen: AppTest) -> list[str]:
    assert not screen.exception
    labels = [str(each.proto.label) for each in screen.get("page_link")]
    return [label for label in labels if label.startswith(("Start: ", "Continue", "Next lesson"))]


def answer_all(lesson: Lesson, but: int = 0) -> None:
    for number in range(1, len(lesson.steps) + 1):
        note_step(lesson.id, number, "nearly" if number == but else "right")


def test_home_leads_on_where_one_was() -> None:
    assert ways(opened("")) == ["Start: five minutes"]
    assert ways(opened("", v="1", src="the red house")) == []
    assert ways(opened("", lesson="five-minutes.1")) == []
    note_step("five-minutes", 3)
    note_step("way-of-a-sentence", 2)
    assert ways(opened("")) == [f"Continue: {TITLE}, step 3"]
    first, *_, last = LESSONS.values()
    answer_all(first)
    note_step("way-of-a-sentence", 2)
    assert ways(opened("")) == [f"Continue: {LESSONS['way-of-a-sentence'].title}, step 2"]
    answer_all(LESSONS["way-of-a-sentence"])
    assert ways(opened("")) == [f"Next lesson: {LESSONS['way-of-a-translation'].title}"]
    answer_all(last, but=4)
    assert ways(opened("")) == [f"Continue: {last.title}, open question at step 4"]
    answer_all(last)
    assert ways(opened("")) == []
