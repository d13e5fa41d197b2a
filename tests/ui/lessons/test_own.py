"""Make your own: copied, started, deleted; a file is imported or refused in a sentence."""

import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from s2s.config import DeniedError, asker
from s2s.lessons import (
    LESSONS,
    Lesson,
    View,
    add_lesson,
    find_lesson,
    lesson_file,
    own_lessons,
)
from s2s.lessons.own import EMPTY
from s2s.library import sharing
from s2s.links import short as short_links
from s2s.runs import RunFolder, runs_folder
from s2s.ui.kit.action_button import register
from s2s.ui.shell import visitors
from tests.conftest import make_run
from tests.screen import opened, page_text

RUN = "anas0123456789ab"


def import_file(screen: AppTest, content: bytes) -> None:
    field = next(each for each in screen.get("file_uploader") if "lesson file" in str(each.key))
    field.set_value(("lesson.json", content, "application/json")).run()
    assert not screen.exception


def opened_by(screen: AppTest) -> dict[str, str]:
    """What the short link on the page opens."""
    (url,) = [
        each.value for each in screen.code if re.fullmatch(r"(http.*/)?s/[A-Z-]+", each.value)
    ]
    return dict(short_links.find(url.rpartition("/")[2]).content.view)


def test_a_lesson_is_copied_opened_and_deleted() -> None:
    screen = opened("lessons", set="view:own")
    assert "no lesson of your own" in page_text(screen)
    screen.button(key="copy lesson").click().run()
    (made,) = own_lessons()
    assert made.lesson.title == f"Copy of {LESSONS['five-minutes'].title}"
    assert "is saved below" in screen.success[0].value
    assert len(screen.subheader) == 1
    beside = opened("", lesson=f"{made.lesson.id}.2")
    assert any("Step 2 of 5" in str(each.proto.body) for each in beside.get("html"))
    screen.button(key=f"delete {made.lesson.id}").click().run()
    assert own_lessons() == []
    screen.button(key="undo delete lesson").click().run()
    assert own_lessons() == [made]
    assert "was deleted" not in page_text(screen)
    screen.button(key=f"delete {made.lesson.id}").click().run()
    beside.run()
    assert "There is no lesson" in page_text(beside)
    assert not beside.exception


def test_a_double_click_makes_one_copy() -> None:
    screen = opened("lessons", set="view:own")
    screen.button(key="copy lesson").click().run()
    click = screen.session_state["clicks on copy lesson"]
    assert (click.n_done, click.is_waiting) == (1, False)
    register(click, 0)  # the second click, on the button that was drawn before the first
    screen.run()
    assert len(own_lessons()) == 1


def test_a_stored_lesson_without_a_step_gets_its_first_one() -> None:
    made = add_lesson(Lesson("new", "A", "A", 10, (EMPTY,)))
    screen = opened("lessons", set="view:own")
    assert "no steps" in page_text(screen)
    screen.button(key=f"edit {made.id}").click().run()
    assert "Add a page as step 1:" in page_text(screen)
    next(each for each in screen.text_input if each.label == "Link of a view").set_value("/steps")
    next(each for each in screen.button if each.label == "Add a step").click().run()
    assert not screen.exception
    (step,) = own_lessons()[0].lesson.steps
    assert step.view == View("steps")
    assert "Step 1 is added" in screen.success[0].value
    assert opened_by(screen) == {"lesson": f"{made.id}.1"}


def test_a_file_is_imported_or_refused() -> None:
    screen = opened("lessons", set="view:own")
    refused = {b'{"format": 2}': "newer than the 1 known here", b"{": "not JSON"}
    for content, said in refused.items():
        import_file(screen, content)
        assert said in page_text(screen)
        assert not own_lessons()
    import_file(screen, lesson_file.write(LESSONS["five-minutes"]).encode())
    assert [each.lesson.title for each in own_lessons()] == [LESSONS["five-minutes"].title]
    assert "not JSON" not in page_text(screen)


def test_a_shared_lesson_shows_its_link_and_the_runs_that_others_cannot_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    monkeypatch.setattr(visitors, "workspace_of_visitor", lambda: "ana")
    monkeypatch.setattr(visitors, "cookies", dict)
    folder = make_run(runs_folder() / RUN, {})
    RunFolder(folder).amend(lambda about: {"owner": "ana", "name": "*mine*"})
    first = LESSONS["five-minutes"]
    step = replace(first.steps[1], view=View("attention", {"run": f"*mine* · {RUN}"}))
    with asker.acting_as("ana"):
        made = add_lesson(replace(first, steps=(first.steps[0], step)))
    screen = opened("lessons", set="view:own")
    toggle = f"share lesson {made.id}"
    screen.session_state[f"link {made.id}"] = True  # its button was pressed
    screen.run()
    assert not any("s/" in each.value for each in screen.code[1:])
    screen.toggle(key=toggle).set_value(True).run()
    assert opened_by(screen) == {"lesson": f"{made.id}.1"}
    assert "Step 2 shows your run *mine*, which nobody else may open." in page_text(screen)
    with asker.acting_as("ana"):
        sharing.share(sharing.thing("run", RUN, "ana"), sharing.Sharing(link=True))
    assert "nobody else may open" not in page_text(screen.run())
    with asker.acting_as("bob"):
        assert find_lesson(made.id) == made
    screen.toggle(key=toggle).set_value(False).run()
    with asker.acting_as("bob"), pytest.raises(DeniedError):
        find_lesson(made.id)
