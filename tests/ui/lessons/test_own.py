"""Make your own: copied, started, deleted; a file is imported or refused in a sentence."""

import pytest
from streamlit.testing.v1 import AppTest

from s2s.lessons import LESSONS, lesson_file, own_lessons
from tests.screen import opened, page_text


def imported(screen: AppTest, content: bytes) -> AppTest:
    field = next(each for each in screen.get("file_uploader") if "lesson file" in str(each.key))
    field.set_value(("lesson.json", content, "application/json")).run()
    return screen


def test_a_lesson_is_copied_opened_and_deleted() -> None:
    screen = opened("lessons", set="view:own")
    assert "no lesson of your own" in page_text(screen)
    screen.button(key="copy lesson").click().run()
    (made,) = own_lessons()
    assert made.lesson.title == LESSONS["five-minutes"].title
    assert len(screen.subheader) == 1
    beside = opened("", lesson=f"{made.lesson.id}.2")
    assert any("Step 2 of 5" in str(each.proto.body) for each in beside.get("html"))
    screen.button(key=f"delete {made.lesson.id}").click().run()
    assert own_lessons() == []
    beside.run()
    assert "There is no lesson" in page_text(beside)
    assert not beside.exception


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lesson_file.write(LESSONS["five-minutes"]).encode(), ""),
        (b'{"format": 2}', "newer than the 1 known here"),
        (b"{", "not JSON"),
    ],
)
def test_a_file_is_imported_or_refused(content: bytes, said: str) -> None:
    screen = imported(opened("lessons", set="view:own"), content)
    assert not screen.exception
    assert [each.lesson.title for each in own_lessons()] == [
        LESSONS["five-minutes"].title for _ in range(not said)
    ]
    assert said in page_text(screen)
