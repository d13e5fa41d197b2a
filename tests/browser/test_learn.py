"""Walkthrough and Positions: clicks, the keyboard, Back, and a phone."""

import re

import numpy as np
from playwright.sync_api import Page, expect

import s2s
from tests.browser.conftest import Open
from tests.browser.test_home import PHONE, QUIET, SHOWS
from tests.browser.test_save_picture import saved, words

WALK = (
    "walkthrough?run=demo-en-fr&src=the+red+house&layer=2&head=3&set=step%3Asoftmax%2Cposition%3A3"
)
SIMILARITY = (
    "cosine of two positions by their offset",
    "cosine of 1024 by 1024 positions, means of 4 by 4",
)
ROTARY = "q·k / √32 by distance, 32 random vectors, q = k"
WIDTHS = """() => [
  document.documentElement.scrollWidth, document.querySelector('[data-testid=stMain]').scrollWidth,
  ...[...document.querySelectorAll('.js-plotly-plot')].map(plot => plot.getBoundingClientRect().right)]"""
CLIPPED = """async () => {
  await document.fonts.ready;
  return [...document.querySelectorAll('.js-plotly-plot .gtitle')]
    .filter(title => title.getBoundingClientRect().right
      > title.closest('.js-plotly-plot').getBoundingClientRect().right)
    .map(title => title.textContent);
}"""


def titled(page: Page, *titles: str) -> None:
    """Waits until exactly these figures are drawn and the page is idle."""
    expect(page.locator(".gtitle")).to_contain_text(titles)
    expect(page.locator("[data-stale=true]")).to_have_count(0)
    page.locator(QUIET).wait_for()


def says(page: Page, words: str) -> None:
    """Waits until the address contains these words."""
    page.wait_for_function(
        "words => decodeURIComponent(location.search).includes(words)", arg=words
    )


def drawn(page: Page, mark: str) -> None:
    """The first figure's marks are visible and fill most of it."""
    drawing = page.locator(f".js-plotly-plot {mark}").first
    expect(drawing).to_be_visible()
    box = drawing.bounding_box() or {}
    frame = page.locator(".js-plotly-plot svg.main-svg").first.bounding_box() or {}
    assert box["width"] > 0.6 * frame["width"] > 150
    assert box["height"] > 0.4 * frame["height"] > 100


def fits_a_phone(page: Page) -> None:
    """Nothing scrolls sideways, no figure is wider than the screen, no title is clipped."""
    page.set_viewport_size(PHONE["viewport"])
    page.wait_for_function(f"Math.max(...({WIDTHS})()) <= 420")
    assert page.evaluate(CLIPPED) == []


def complaints(page: Page) -> list[str]:
    """Errors in the console, except Streamlit's: it first looks for its server below the page's own address."""
    errors = [
        message
        for message in page.console_messages()
        if message.type == "error" and "/_stcore/" not in message.location["url"]
    ]
    return [*(message.text for message in errors), *(str(error) for error in page.page_errors())]


def test_next_enter_and_back_change_the_step_and_on_a_phone_the_picture_is_on_the_first_screen(
    server: str, visit: Open
) -> None:
    run = s2s.load("demo-en-fr")
    weights = run.attention(
        "the red house", run.translate(["the red house"], "greedy")[0].text
    ).encoder[1, 2]
    page = visit(f"{server}/{WALK}")
    titled(page, "Weights of head 3")
    page.wait_for_function(SHOWS, arg=np.round(weights, 5).tolist())
    next_button = page.get_by_role("button", name="Next", exact=True).first
    next_button.click()
    titled(page, "Values weighted for house, and their sum", "Weighted sums of head 3")
    says(page, "step:weighted,position:3")
    next_button.focus()
    page.keyboard.press("Enter")
    titled(page, "The heads, concatenated", "After the output projection")
    says(page, "step:heads,position:3")
    expect(next_button).to_be_focused()  # the keyboard focus stays
    page.go_back()
    titled(page, "Values weighted for house", "Weighted sums of head 3")
    fits_a_phone(page)
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")
    tops = [
        (page.locator(place).first.bounding_box() or {"y": 0})["y"]
        for place in (".js-plotly-plot", ".katex", ".st-key-walk-below")
    ]
    assert tops == sorted(tops)
    assert tops[0] < 430  # the picture
    page.locator(".st-key-walkthrough-next-below button").click()
    says(page, "step:heads")
    page.get_by_role("combobox", name="Step", exact=True).click()
    page.keyboard.type("Teacher forcing")
    page.get_by_role("option", name=re.compile("Teacher forcing")).click()
    table = page.locator(".samples table")
    assert (table.bounding_box() or {"height": 10_000})["height"] < 60 * table.locator("tr").count()
    assert complaints(page) == []


def test_another_view_draws_both_encodings_and_a_curve_is_saved(server: str, visit: Open) -> None:
    page = visit(
        f"{server}/positions?run=demo-en-fr&set=length%3A1024%2Cencoding%3Asinusoidal%2Cbeside%3Arotary"
    )
    titled(
        page,
        "1,024 positions × 128 dimensions",
        "1,024 positions × 32 columns of a query",
    )
    drawn(page, ".heatmaplayer image")
    page.get_by_role("radio", name="By distance", exact=True).click()
    titled(page, *SIMILARITY, ROTARY)
    says(page, "view:distance,beside:rotary")
    says(page, "encoding:sinusoidal")
    says(page, "length:1024")
    drawn(page, ".scatterlayer path.js-line")
    page.locator(".js-plotly-plot").first.locator(".modebar-btn").first.click()
    assert SIMILARITY[0] in words(saved(page, format="pdf", points="10"))
    fits_a_phone(page)
    drawn(page, ".scatterlayer path.js-line")
    assert complaints(page) == []
