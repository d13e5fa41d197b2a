"""A shared link on a phone: what it shows, taps, swipes, the menu, and the sentence that explains a word."""

from playwright.sync_api import Page, expect

import s2s
from tests.browser.conftest import Open
from tests.browser.test_home import LINK, PHONE, QUIET, shows

PLACE = """word => {
  const marked = [...(CSS.highlights.get('s2s-term') ?? [])];
  const found = marked.find(each => each.startContainer.data.slice(each.startOffset, each.endOffset) === word);
  if (!found) return null;
  found.startContainer.parentElement.scrollIntoView({ block: 'center' });
  const range = document.createRange();
  range.setStart(found.startContainer, found.startOffset);
  range.setEnd(found.endContainer, found.endOffset);
  const { x, y, width, height } = range.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
}"""
SIDEBAR = "document.querySelector('[data-testid=stSidebar]').getBoundingClientRect()"
HEIGHT = "() => document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"


def place(page: Page, word: str) -> tuple[float, float]:
    """The middle of a marked word, which is scrolled into sight and has come to rest."""
    before = page.wait_for_function(PLACE, arg=word).json_value()
    page.wait_for_timeout(500)  # what scrolls closes what is open
    while (at := page.evaluate(PLACE, word)) != before:
        before = at
        page.wait_for_timeout(500)
    x, y = at
    return x, y


def words_open_by_pointer_tap_and_keyboard(page: Page) -> None:
    card = page.get_by_role("dialog", name="log-probability")
    at = place(page, "log-probability")
    height = page.evaluate(HEIGHT)
    page.touchscreen.tap(*at)
    expect(card).to_contain_text("adds up over the words of a sentence")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    page.mouse.move(at[0], at[1] + 60)
    page.mouse.move(*at)
    expect(card).to_be_visible()
    page.mouse.move(at[0], at[1] + 400)
    expect(card).to_be_hidden()
    assert page.evaluate(HEIGHT) == height  # nothing moved
    words = page.get_by_role("button", name="Search pages, lessons and words")
    words.focus()
    page.keyboard.press("Enter")
    entries = page.get_by_role("dialog", name="Search")
    expect(entries.get_by_text("candidate", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(entries).to_be_hidden()
    expect(words).to_be_focused()
    page.keyboard.press("Enter")
    search = entries.get_by_role("searchbox", name="Search pages, lessons and words")
    expect(search).to_be_focused()
    for query, first in {
        "beam": "beam search",
        "logit": "logits",
        "smoothing": "label smoothing",
    }.items():
        search.fill(query)
        expect(entries.locator("[open] summary")).to_have_text(first)
    search.fill("")
    page.keyboard.type("label smoothing")  # not on this page
    expect(entries.get_by_text("label smoothing", exact=True)).to_be_visible()
    search.fill("")
    for key in ("Tab", "Enter", "Tab"):  # to the first word, its sentence, its link
        page.keyboard.press(key)
    expect(entries.get_by_role("link", name="See it on Attention")).to_be_focused()
    page.evaluate("() => { window.isSameDocument = true; }")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Inside")
    expect(entries).to_be_hidden()
    assert page.evaluate("() => window.isSameDocument")


def swipe_up(page: Page, x: float, y: float, distance: int) -> None:
    """Swipe with touch events: Chromium's own scroll gesture has no effect here."""
    fingers = page.context.new_cdp_session(page)
    for travelled in range(0, distance + 1, 10):
        kind = "touchMove" if travelled else "touchStart"
        fingers.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y - travelled}]},
        )
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_shared_link_shows_the_same_with_taps_and_swipes_the_menu_and_words_that_open(
    server: str, visit: Open
) -> None:
    phone = visit(f"{server}/{LINK}", **PHONE)
    shows(phone, s2s.load("demo-en-fr"), "the bank is by the river", head=1)
    expect(phone.get_by_test_id("stAlert")).to_have_count(0)
    frame = phone.locator(".js-plotly-plot").bounding_box()
    assert frame is not None
    assert frame["x"] >= 0
    assert frame["x"] + frame["width"] <= 420
    assert frame["y"] + frame["height"] <= 860
    assert phone.evaluate("document.documentElement.scrollWidth") <= 420
    middle = {"x": frame["x"] + frame["width"] / 2, "y": frame["y"] + frame["height"] / 2}
    phone.touchscreen.tap(middle["x"], middle["y"])  # what hover shows, tap shows
    expect(phone.locator(".hoverlayer .hovertext")).to_contain_text("predicting")
    swipe_up(phone, middle["x"], middle["y"], 200)
    phone.wait_for_function(
        "y => document.querySelector('.js-plotly-plot').getBoundingClientRect().y < y - 50",
        arg=frame["y"],
    )
    candidates = phone.locator(".strip > div:nth-child(2) .alternatives")
    phone.get_by_role("button", name="Position 2:").tap()
    expect(candidates).to_be_visible()
    phone.get_by_role("button", name="Position 1:").tap()
    expect(candidates).to_be_hidden()
    phone.locator(".strip > div:nth-child(1) .alternatives button").nth(1).tap()
    phone.wait_for_url("**set=forced*")  # what was tapped is written, and the page drawn with it
    phone.locator(QUIET).wait_for()
    words_open_by_pointer_tap_and_keyboard(phone)
    phone.get_by_test_id("stExpandSidebarButton").tap()
    menu = phone.get_by_test_id("stSidebar")
    phone.wait_for_function(f"{SIDEBAR}.x === 0")
    menu.get_by_text("Positions").tap()
    phone.wait_for_url("**/positions*")
    phone.wait_for_function(f"{SIDEBAR}.right <= 0")  # it has closed
