"""Compare in a real browser: from the menu, a ready-made comparison, the browser's Back, a phone, the keyboard."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, Open
from tests.browser.test_home import PHONE
from tests.browser.test_walk import quiet

STILL = "() => !document.querySelector('[data-stale=\"true\"]')"
HEADS = "td[data-of=row]"
TEXTS = "td[data-of=translation]"

BELOW_EACH_OTHER = f"""n => {{
  const main = document.querySelector('[data-testid=stMain]');
  const boxes = [...document.querySelectorAll(`{HEADS}, {TEXTS}`)].map(one => one.getBoundingClientRect());
  return main.clientWidth <= 420 && main.scrollWidth <= main.clientWidth
    && boxes.length === 2 * n && boxes.every(box => box.width > 300 && box.right <= main.clientWidth);
}}"""


def shown(page: Page, n_rows: int) -> tuple[list[str], list[str]]:
    """Waits for this many rows; returns their names and texts."""
    expect(page.locator(HEADS)).to_have_count(n_rows)
    expect(page.locator(TEXTS)).to_have_count(n_rows)
    quiet(page)
    page.wait_for_function(STILL)
    return page.locator(HEADS).all_inner_texts(), page.locator(TEXTS).all_inner_texts()


def test_an_example_gets_an_address_the_menu_leads_to_three_rows_two_clicks_to_five_and_back_home(
    server: str, visit: Open
) -> None:
    page = visit(f"{server}/compare?run=demo-en-fr")
    quiet(page)
    box = page.locator(".st-key-src input")
    expect(box).to_have_value("the good water")  # of which greedy and beam search make two
    page.locator(".st-key-run input").click()
    page.get_by_role("option", name="demo-en-es", exact=True).click()
    page.wait_for_url("**run=demo-en-es**src=*")
    expect(box).to_have_value("the good water")
    quiet(page)

    links = page.get_by_test_id("stSidebarNavLink")
    links.filter(has_text="Home").click()
    expect(page.locator(HEADS)).to_have_count(0)
    quiet(page)
    box.fill("the cat sleeps")
    box.press("Enter")
    page.wait_for_url("**src=the+cat+sleeps")
    quiet(page)
    links.filter(has_text="Decode").click()
    three = shown(page, 3)
    assert three[0] == ["1 · greedy", "2 · beam", "3 · top-p 0.9"]
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("button", name="Start over").click()
    page.get_by_role("menuitem", name="Five strategies").click()
    page.wait_for_url("**c5=*")
    heads, _ = shown(page, 5)
    assert [head.split("\n")[0].partition(" · ")[2] for head in heads] == [
        "greedy",
        "beam",
        "diverse beam",
        "sample",
        "mbr",
    ]
    page.keyboard.press("Escape")
    page.set_viewport_size(PHONE["viewport"])
    page.wait_for_function(BELOW_EACH_OTHER, arg=5)
    page.set_viewport_size(DESKTOP)
    page.go_back()
    assert shown(page, 3) == three
    page.go_back()
    expect(page.locator(HEADS)).to_have_count(0)
    expect(box).to_have_value("the cat sleeps")
    quiet(page)
    page.go_forward()
    assert shown(page, 3) == three
    keyboard_enters_share_and_menus(page)


def keyboard_enters_share_and_menus(page: Page) -> None:
    share = page.get_by_test_id("stPopoverButton").first
    share.press("Enter")
    panel = page.get_by_test_id("stPopoverBody")
    expect(panel.get_by_test_id("stCode").first).to_be_visible()  # it is filled when it is opened
    expect(panel.get_by_role("button", name="Copy", exact=True).first).to_be_visible()
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
    expect(page.locator(HEADS)).to_have_count(4)
    expect(page.locator(HEADS).last).to_have_text("4 · beam")  # the second of "Add a row"
