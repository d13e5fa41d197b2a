"""The token strip of Steps: hover, click, keyboard, and a forced token in the link."""

from playwright.sync_api import Page, expect

import s2s
from tests.browser.conftest import Open

VIEW = "steps?run=demo-en-fr&src=the+red+house&set=view%3Anext%2Cat%3A1"


def translated(page: Page, text: str) -> None:
    expect(page.locator(".written")).to_contain_text(text)


def test_a_token_is_hovered_chosen_and_replaced_by_another(server: str, visit: Open) -> None:
    run = s2s.load("demo-en-fr")
    page = visit(f"{server}/{VIEW}")
    translated(page, "la maison rouge")
    second = page.get_by_role("button", name="Position 2: maison")
    second.hover()
    alternatives = page.locator(".strip > div:nth-child(2) .alternatives")
    expect(alternatives).to_be_visible()
    assert alternatives.locator("li").count() == 5
    second.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Position 2: maison")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(
        page.get_by_role("button", name="Position 2: maison")
    ).to_be_focused()  # the keyboard focus stays
    page.get_by_role("button", name="Position 1: la").hover()
    page.locator(".strip > div:nth-child(1) .alternatives button", has_text="le").first.click()
    expected = run.complete("the red house", run.tgt_tokenizer.encode("le"))
    translated(page, expected.text)
    page.wait_for_function("location.href.includes('forced')")
    expect(page.get_by_role("button", name="forced")).to_have_count(1)
