"""A technical word opens its sentence: by the pointer, by a tap, and from the list by the keyboard."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.test_home import PHONE
from tests.browser.test_walk import quiet

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
HEIGHT = "() => document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"


def place(page: Page, word: str) -> tuple[float, float]:
    """The middle of a marked word, which is scrolled into sight."""
    page.wait_for_function(PLACE, arg=word)
    page.wait_for_timeout(100)  # what scrolls closes what is open
    x, y = page.evaluate(PLACE, word)
    return x, y


def test_words_open_by_pointer_tap_and_keyboard(server: str, visit: Open) -> None:
    page = visit(server, **PHONE)
    quiet(page)
    card = page.get_by_role("dialog", name="log-probability")
    at = place(page, "Log-probability")
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
    words = page.get_by_role("button", name="Words on this page")
    words.focus()
    page.keyboard.press("Enter")
    entries = page.get_by_role("dialog", name="Words on this page")
    expect(entries.get_by_text("candidate", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(entries).to_be_hidden()
    expect(words).to_be_focused()
    page.keyboard.press("Enter")
    search = entries.get_by_role("searchbox", name="Search all words")
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
    expect(page.locator("h1")).to_have_text("Attention")
    expect(entries).to_be_hidden()
    assert page.evaluate("() => window.isSameDocument")
