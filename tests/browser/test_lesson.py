"""Lesson 1 as a newcomer walks it, by links and keyboard; then the same panel on a phone."""

from playwright.sync_api import Page, expect

from s2s.lessons import LESSONS
from tests.browser.conftest import DESKTOP, Open
from tests.browser.test_home import QUIET

STEPS = LESSONS["five-minutes"].steps


def at_step(page: Page, number: int) -> None:
    """Waits until the panel and the page of a step are there."""
    step = STEPS[number - 1]
    heading = f"Step {number} of {len(STEPS)}: {step.title}"
    expect(page.locator(".lesson-heading b")).to_have_text(heading)
    expect(page.locator(".st-key-src input")).to_have_value(step.view.values["src"])
    page.locator(QUIET).wait_for()


def words_leave_free(page: Page, text: str) -> None:
    """The list of Words covers nothing of a text of the lesson, and has a button that closes it."""
    page.get_by_role("button", name="Search pages, lessons and words").click()
    words = page.get_by_role("dialog", name="Search")
    expect(words).to_be_visible()
    box = words.bounding_box() or {}
    note = page.locator(".st-key-lesson").get_by_text(text).bounding_box() or {}
    is_beside = box["x"] + box["width"] <= note["x"]
    assert is_beside or note["y"] + note["height"] <= box["y"]
    words.get_by_role("button", name="Close").click()
    expect(words).to_be_hidden()


def test_lesson_1_is_walked_by_its_links(server: str, visit: Open) -> None:
    page = visit(f"{server}/?lesson=five-minutes.1")
    at_step(page, 1)
    main = page.get_by_test_id("stMain")
    for number in (2, 3, 4, 5):
        main.evaluate("main => main.scrollTo(0, 300)")
        page.get_by_role("link", name="Next step").press("Enter")
        at_step(page, number)
        expect(page.locator(".lesson-heading")).to_be_focused()
        expect(page.locator(".lesson-heading")).to_be_in_viewport(ratio=1)
        assert main.evaluate("main => main.scrollTop") == 0
        if number == 2:
            page.set_viewport_size({"width": 1280, "height": 520})
            page.get_by_role("button", name="the red book is old").click()
            expect(page.locator(".st-key-translation")).to_contain_text("livre")
            said = page.locator(".st-key-lesson-verdict")
            expect(said).to_contain_text("le livre rouge est vieux")
            expect(page.get_by_role("link", name="Next step")).to_be_focused()
            expect(said).to_be_in_viewport(ratio=1)
            expect(page.get_by_role("link", name="Next step")).to_be_in_viewport(ratio=1)
            page.set_viewport_size(DESKTOP)
        if number == 3:
            expect(page.locator(".st-key-attention-reduce")).to_be_hidden()
            picture = page.locator(".st-key-answer").bounding_box() or {"y": 900}
            assert picture["y"] <= 330
            words_leave_free(page, "Each row is a French token")
    page.go_back()
    at_step(page, 4)
    page.set_viewport_size({"width": 420, "height": 860})
    note = page.locator(".st-key-lesson").get_by_text("Each layer has four")
    expect(note).to_be_visible()
    words_leave_free(page, "Each layer has four")
    choosers, pictures = (
        page.locator(f".st-key-{name}").bounding_box() or {"y": 0} for name in ("layer", "heads")
    )
    assert 0 < choosers["y"] < pictures["y"]  # "above them", as the note says
    page.locator(".st-key-fold-lesson button").click()
    expect(note).to_be_hidden()
    page.go_forward()
    at_step(page, 5)
    page.locator(".st-key-fold-lesson button").click()
    page.get_by_role("link", name="All lessons").click()
    expect(page.get_by_text("5 of 5 seen · 1 of 4 questions right")).to_be_in_viewport()
    assert "lesson=" not in page.url
