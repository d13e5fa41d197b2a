"""The diagram of Architecture: hover, click, keyboard, its picture, and its size on a phone."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, Open
from tests.browser.test_home import PHONE
from tests.browser.test_save_picture import saved, words

VIEW = "architecture?run=demo-en-fr&set=model%3Asmall%2Cagainst%3Amodern-small"

FITS = """svg => {
  const { width } = svg.getBoundingClientRect();
  return 300 < width && width <= 420 && document.documentElement.scrollWidth === 420;
}"""


def chosen(page: Page, label: str) -> None:
    expect(page.locator(".st-key-part h3")).to_have_text(label)


def test_a_component_is_hovered_clicked_and_reached_by_keyboard_and_the_diagram_saved(
    server: str, visit: Open
) -> None:
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
    page.locator(".st-key-diagram").get_by_role("button", name="Save, data, code").click()
    page.get_by_role("button", name="PNG, PDF").click()
    found = {*words(saved(page, format="pdf", width="12"))}
    assert {"Cross-attention", "Encoder", "memory"} <= found
    assert any(
        "differs in modern-small" in line for line in found
    )  # beside a sign drawn as a picture

    page.set_viewport_size(PHONE["viewport"])
    page.wait_for_function(FITS, arg=page.locator(".diagram svg").element_handle())
    box = page.get_by_role("button", name=re.compile("^Masked self-attention"))
    assert box.locator("text").first.evaluate("text => text.getBoundingClientRect().height") > 10
    page.set_viewport_size(DESKTOP)
    # A model with fewer positions has sliders that end earlier, which makes them other widgets.
    page.get_by_role("combobox", name="Model").first.click()
    page.keyboard.type("mini-t5")
    page.get_by_role("option", name="mini-t5").click()
    page.wait_for_function("location.href.includes('mini-t5')")
    page.locator(".st-key-settings button").first.click()
    expect(page.get_by_role("slider").nth(1)).to_have_value("20")
