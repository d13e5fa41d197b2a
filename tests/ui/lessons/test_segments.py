"""The segments of the page Lessons."""

import pytest
from streamlit.util import calc_hash

from s2s.lessons import EXERCISES, LESSONS, Lesson, note_step
from s2s.ui.lessons.segments import SEGMENTS
from tests.screen import drawn_pictures, opened, page_text


@pytest.mark.parametrize("name", [name for name, row in SEGMENTS.items() if not row.is_hosted])
def test_a_segment_opens_by_its_link(name: str) -> None:
    screen = opened("lessons", set=f"view:{name}")
    assert not screen.exception
    assert not screen.error
    assert screen.session_state["lessons view"] == name


@pytest.mark.parametrize(("name", "rows"), [("lessons", LESSONS), ("exercises", EXERCISES)])
def test_every_lesson_has_a_card_that_says_how_far_one_is(
    name: str, rows: dict[str, Lesson]
) -> None:
    first = next(iter(rows))
    note_step(first, 1, "right")
    screen = opened("lessons", set=f"view:{name}")
    assert len(screen.subheader) == len(rows)
    assert page_text(screen).count("1 of") >= 1
    links = [str(each.proto.label).replace("\\", "") for each in screen.get("page_link")]
    begun, *others = (row.name for row in rows.values())
    assert [f"Start: {name}" for name in others] == links[1:]
    assert links[0].endswith(f": {begun}")
    pictures = drawn_pictures(screen)
    assert list(pictures) == list(rows)
    assert all(": " in alt for alt in pictures.values())


@pytest.mark.parametrize("name", ["nothing", "classes"])  # the latter are on hosted servers only
def test_a_link_to_a_segment_that_is_not_there_shows_the_lessons(name: str) -> None:
    screen = opened("lessons", set=f"view:{name}")
    assert not screen.exception
    assert f"there is no {name} here" in page_text(screen)
    assert len(screen.subheader) == len(LESSONS)


def test_the_menu_opens_the_list_of_lessons_whatever_was_open_before() -> None:
    screen = opened("lessons", set="view:exercises")
    for path in ("data", "lessons"):
        screen.query_params.clear()
        screen._page_hash = calc_hash(path)
        screen.run()
    assert len(screen.subheader) == len(LESSONS) != len(EXERCISES)
    assert screen.session_state["lessons view"] == "lessons"
