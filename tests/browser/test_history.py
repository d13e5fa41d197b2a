"""Back and Forward: one step per change that a person made, and none for what Streamlit writes in between."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.test_walk import quiet

START = "**/attention?src=the+red+house&layer=1&head=3"


def choose(page: Page, name: str) -> None:
    """One of the buttons that stand side by side."""
    page.get_by_test_id("stButtonGroup").get_by_role("radio", name=name, exact=True).last.click()


def shows(page: Page, path: str, sentence: str = "the red house") -> None:
    page.wait_for_url(path)
    expect(page.locator(".st-key-src input")).to_have_value(sentence)
    quiet(page)


def test_every_change_is_one_step_back_and_quick_ones_are_kept(server: str, visit: Open) -> None:
    page = visit(START.replace("**", server))
    quiet(page)
    home = page.get_by_test_id("stSidebarNavLink").filter(has_text="Home")
    page.wait_for_selector("body[data-shown-page]", state="attached")
    home.dispatch_event("pointerdown")  # as before a click that opens another tab
    expect(home).to_have_attribute("href", re.compile(r"/\?run=demo-en-fr&src=the\+red\+house$"))
    choose(page, "4")  # a head: the browser writes the address
    choose(page, "mean")  # before the server has answered: neither is lost
    page.wait_for_url("**/attention?layer=1&src=the+red+house")
    quiet(page)
    choose(page, "Lines")  # the server writes it
    page.wait_for_url("**view%3Alines**")
    home.click()
    shows(page, "**/?**src=the+red+house**")
    box = page.locator(".st-key-src input")
    box.fill("the cat sleeps")
    box.press("Enter")
    shows(page, "**/?**src=the+cat+sleeps**", "the cat sleeps")
    for address in (
        "**/?**src=the+red+house**",
        "**/attention?**view%3Alines**",
        "**/attention?layer=1&src=the+red+house",
        "**/attention?head=4&layer=1&src=the+red+house",
        START,
    ):
        page.go_back()
        shows(page, address)
    page.go_forward()
    shows(page, "**/attention?head=4&layer=1&src=the+red+house")


def run_shown(page: Page, run: str) -> None:
    quiet(page)
    expect(page.locator(".st-key-run input").first).to_have_value(run)


def test_a_bare_address_names_its_run_from_the_first_change_on(server: str, visit: Open) -> None:
    page = visit(f"{server}/?utm_source=course")  # a foreign parameter says nothing of a view
    run_shown(page, "demo-en-de")
    assert page.url == f"{server}/?utm_source=course"
    page.goto(f"{server}/")
    run_shown(page, "demo-en-de")
    box = page.locator(".st-key-src input")
    box.fill("I am tired.")
    box.press("Enter")
    page.wait_for_url("**/?src=I+am+tired.&run=demo-en-de")
    copied = page.url
    page.reload()
    run_shown(page, "demo-en-de")
    expect(box).to_have_value("I am tired.")
    page.go_back()
    page.wait_for_url(f"{server}/")
    run_shown(page, "demo-en-de")
    page.locator(".st-key-run input").first.click()
    page.get_by_role("option", name="demo-en-fr", exact=True).click()
    page.wait_for_url("**/?run=demo-en-fr")
    page.reload()
    run_shown(page, "demo-en-fr")
    page.go_back()
    page.wait_for_url(f"{server}/")
    run_shown(page, "demo-en-de")
    page.goto(f"{server}/attention")
    run_shown(page, "demo-en-de")
    choose(page, "Lines")  # which the server writes, not the browser
    page.wait_for_url("**view%3Alines**")
    page.wait_for_url("**run=demo-en-de**")
    page.reload()
    run_shown(page, "demo-en-de")
    page.goto(f"{server}/compare")
    page.wait_for_url("**c1=demo-en-de**")
    run_shown(page, "demo-en-de")
    box.fill("I am tired.")
    box.press("Enter")
    page.wait_for_url("**src=I+am+tired.**")
    page.go_back()
    run_shown(page, "demo-en-de")
    expect(box).not_to_have_value("I am tired.")
    page.goto(f"{server}/?run=gone")
    run_shown(page, "demo-en-fr")
    page.wait_for_url("**/?run=demo-en-fr")
    page = visit(copied, locale="de-DE")  # a colleague's browser, in another language
    run_shown(page, "demo-en-de")
    page.goto(f"{server}/?src=the+red+house")  # published before there was another demo
    run_shown(page, "demo-en-fr")


def test_a_link_to_another_page_opens_the_sentence_that_it_names(server: str, visit: Open) -> None:
    page = visit(f"{server}/?run=demo-en-fr")
    quiet(page)
    named = "the red house that the cats see is old"
    page.locator(f'a[href*="{named.replace(" ", "+")}"]').first.click()
    page.wait_for_url("**/attention?**")
    expect(page.locator(".st-key-src input")).to_have_value(named)
