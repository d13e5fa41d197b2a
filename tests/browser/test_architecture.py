"""The diagram of Architecture: hover, click, keyboard, on a desktop and on a phone."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.test_home import PHONE

VIEW = "architecture?run=demo-en-fr&set=model%3Asmall%2Cagainst%3Amodern-small"


def chosen(page: Page, label: str) -> None:
    expect(page.locator(".st-key-part h3")).to_have_text(label)


def test_a_component_is_hovered_clicked_and_reached_by_keyboard(server: str, visit: Open) -> None:
    page = visit(f"{server}/{VIEW}")
    chosen(page, "The whole model")
    cross = page.get_by_role("button", name=re.compile("^Cross-attention"))
    cross.hover()
    tip = page.locator(".tip")
    expect(tip).to_contain_text(
        "output: 32 sentences × 20 target tokens × 128 columns of the residual stream"
    )
    expect(tip).to_contain_text("attention.bias: true, in modern-small false")
    cross.click()
    chosen(page, "Cross-attention")
    expect(cross).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowLeft")
    expect(page.locator('[data-name^="encoder"]:focus')).to_have_count(1)
    cross.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    chosen(page, "Feed-forward")
    expect(
        page.locator('[data-name="decoder.layer.feed_forward"]')
    ).to_be_focused()  # the keyboard focus stays
    page.wait_for_function("location.href.includes('decoder.layer.feed_forward')")
    linked = visit(page.url)
    chosen(linked, "Feed-forward")
    # A model with fewer positions has sliders that end earlier, which makes them other widgets.
    linked.get_by_role("combobox", name="Model").first.click()
    linked.keyboard.type("mini-t5")
    linked.get_by_role("option", name="mini-t5").click()
    linked.wait_for_function("location.href.includes('mini-t5')")
    expect(linked.get_by_role("slider").nth(1)).to_have_value("20")


def test_the_diagram_fits_a_phone(server: str, visit: Open) -> None:
    page = visit(f"{server}/{VIEW}", **PHONE)
    box = page.get_by_role("button", name=re.compile("^Masked self-attention"))
    expect(box).to_be_visible()
    diagram = page.locator(".diagram svg").bounding_box() or {}
    assert 300 < diagram["width"] <= 420
    assert page.evaluate("document.documentElement.scrollWidth") == 420
    assert box.locator("text").first.evaluate("text => text.getBoundingClientRect().height") > 10
