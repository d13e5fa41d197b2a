"""Compare in a real browser: from the menu, a ready-made comparison, the browser's Back, a phone, the keyboard."""

from playwright.sync_api import Page, expect

from s2s.ui.compare import columns
from tests.browser.conftest import DESKTOP, Open
from tests.browser.test_home import PHONE
from tests.browser.test_walk import quiet

STILL = "() => !document.querySelector('[data-stale=\"true\"]')"
HEADS = ".column-head b"
TEXTS = '[class*="st-key-translation"] p[title]'

BELOW_EACH_OTHER = f"""n => {{
  const main = document.querySelector('[data-testid=stMain]');
  const widths = [...document.querySelectorAll(`{TEXTS}`)].map(one => one.getBoundingClientRect().width);
  return main.clientWidth <= 420 && main.scrollWidth <= main.clientWidth
    && widths.length === n && widths.every(width => width > 300);
}}"""


def shown(page: Page, n_columns: int) -> tuple[list[str], list[str]]:
    """Waits for this many columns; returns their headings and texts."""
    expect(page.locator(HEADS)).to_have_count(n_columns)
    expect(page.locator(TEXTS)).to_have_count(n_columns)
    quiet(page)
    page.wait_for_function(STILL)
    return page.locator(HEADS).all_inner_texts(), page.locator(TEXTS).all_inner_texts()


def test_an_example_gets_an_address_the_menu_leads_to_two_columns_one_click_to_five_and_back_home(
    server: str, visit: Open
) -> None:
    page = visit(f"{server}/compare?run=demo-en-fr")
    quiet(page)
    box = page.locator(".st-key-src input")
    expect(box).to_have_value("the cat sits on the mat")
    page.locator(".st-key-run input").click()
    page.get_by_role("option", name="demo-en-es", exact=True).click()
    page.wait_for_url("**run=demo-en-es**src=*")
    expect(box).to_have_value("the cat sits on the mat")
    quiet(page)

    links = page.get_by_test_id("stSidebarNavLink")
    links.filter(has_text="Home").click()
    expect(page.locator(HEADS)).to_have_count(0)
    quiet(page)
    box.fill("the cat sleeps")
    box.press("Enter")
    page.wait_for_url("**src=the+cat+sleeps")
    quiet(page)
    links.filter(has_text="Compare").click()
    two = shown(page, 2)
    assert two[0] == ["1 · greedy", "2 · beam"]
    page.get_by_role("button", name="Remove").first.click()
    one = shown(page, 1)
    page.get_by_role("button", name="Five strategies").click()
    page.wait_for_url("**c5=*")
    heads, _ = shown(page, 5)
    assert heads == [
        f"{number} · {column.strategy}"
        for number, column in enumerate(columns.STARTS["Five strategies"](""), 1)
    ]
    page.set_viewport_size(PHONE["viewport"])
    page.wait_for_function(BELOW_EACH_OTHER, arg=5)
    page.set_viewport_size(DESKTOP)
    page.go_back()
    assert shown(page, 1) == one
    page.go_back()
    assert shown(page, 2) == two
    page.go_back()
    expect(page.locator(HEADS)).to_have_count(0)
    expect(box).to_have_value("the cat sleeps")
    quiet(page)
    page.go_forward()
    assert shown(page, 2) == two
    keyboard_enters_share_and_menus(page)


def keyboard_enters_share_and_menus(page: Page) -> None:
    share = page.get_by_test_id("stPopoverButton").first
    share.press("Enter")
    panel = page.get_by_test_id("stPopoverBody")
    expect(panel.get_by_test_id("stCode")).to_be_visible()  # it is filled when it is opened
    expect(panel.get_by_role("button", name="Copy", exact=True)).to_be_visible()
    quiet(page)
    expect(share).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator('[data-testid="stPopoverBody"] :focus')).to_have_count(1)
    page.keyboard.press("Escape")
    expect(share).to_be_focused()
    page.get_by_test_id("stMenuButtonButton").first.press("Enter")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    # a search that runs, finds one or ends without: from a random sentence on, for ten seconds
    searches = page.locator("[class*=st-key-find-one-]").filter(has_text="Search error")
    expect(searches.first).to_be_visible()
