"""All heads of Attention in a real browser: click, double-click, keyboard, link, hover."""

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import s2s
from tests.browser.conftest import Open
from tests.browser.test_home import PHONE

VIEW = "attention?run=demo-en-fr&src=the+red+house&tgt=la+maison+rouge"
LAYERS = 2
HEADS = 4
LONG = (
    "attention?run=demo-tasks&kind=encoder&src=summarize:+"
    + "the+bottle+fell+into+the+river+.+" * 4
    + "Hugo+cleaned"
)  # 32 tokens
LABELS_APART = """least => {
  const labels = [...document.querySelectorAll('.st-key-canvas :is(.xtick, .x2tick) text')];
  const names = labels.map(one => one.getBoundingClientRect());
  const middles = names.map(one => one.x + one.width / 2);
  return middles.length >= 8 && middles.slice(1).every((middle, at) => middle - middles[at] >= least);
}"""


def canvas(page: Page) -> Locator:
    found = page.locator(".heads canvas")
    expect(found).to_have_attribute("data-painted", re.compile(r" (all|\d+\.\d+)$"))
    return found


def point(page: Page, layer: int, head: int) -> dict[str, float]:
    """The middle of a head's tile; layer and head count from 0."""
    box = canvas(page).bounding_box() or {}
    return {"x": (head + 0.5) / HEADS * box["width"], "y": (layer + 0.5) / LAYERS * box["height"]}


def opened(page: Page, layer: str, head: str) -> None:
    """Waits until heatmap, outline and address show this head, and no other heatmap is left."""
    expect(page.locator(".gtitle")).to_contain_text([f"layer {layer} of 2 · head {head} of 4"])
    expect(canvas(page)).to_have_attribute("data-chosen", f"{layer}.{head}")
    page.wait_for_function("head => location.search.includes(`head=${head}`)", arg=head)


def test_a_click_opens_a_head_a_double_click_enlarges_it_and_a_reload_keeps_both(
    server: str, visit: Open
) -> None:
    page = visit(f"{server}/{VIEW}")
    canvas(page).click(position=point(page, 0, 2))
    opened(page, "1", "3")
    page.wait_for_function("location.search.includes('layer=1')")
    canvas(page).dblclick(position=point(page, 1, 1))
    opened(page, "2", "2")
    expect(canvas(page)).to_have_attribute("data-painted", re.compile(r" 1\.1$"))
    page.wait_for_function("decodeURIComponent(location.search).includes('alone:2.2')")
    painted = canvas(page).get_attribute("data-painted")
    page.reload()
    expect(page.locator(".heads canvas")).to_have_attribute("data-painted", painted or "")
    opened(page, "2", "2")
    page.get_by_role("button", name="All heads", exact=True).click()
    expect(canvas(page)).to_have_attribute("data-painted", re.compile(" all$"))
    page.wait_for_function("!location.search.includes('alone')")


def test_keys_move_open_and_enlarge_and_hover_shows_the_weight(server: str, visit: Open) -> None:
    page = visit(f"{server}/{VIEW}&layer=1&head=1")
    opened(page, "1", "1")
    page.locator(".heads").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown"):  # there is no third layer
        page.keyboard.press(key)
    expect(page.locator(".heads .status")).to_have_text("layer 2 · head 3, monotonic")
    page.keyboard.press("Enter")
    opened(page, "2", "3")
    expect(page.locator(".heads")).to_be_focused()  # the keyboard focus stays
    page.keyboard.press("Space")
    expect(canvas(page)).to_have_attribute("data-painted", re.compile(r" 1\.2$"))
    weights = s2s.load("demo-en-fr").attention("the red house", "la maison rouge").cross[1, 2]
    box = canvas(page).bounding_box() or {}
    canvas(page).hover(position={"x": 1.5 / 4 * box["width"], "y": 2.5 / 4 * box["height"]})
    tip = page.locator(".heads .tip")
    expect(tip).to_contain_text("layer 2 · head 3")
    expect(tip).to_contain_text("predicting rouge it attends to red: ")
    expect(tip).to_contain_text("role: monotonic")
    shown = re.search(r"red: (\d\.\d+)", tip.inner_text())
    assert shown
    assert np.isclose(float(shown[1]), weights[2, 1], atol=0.01)
    page.keyboard.press("Escape")
    expect(canvas(page)).to_have_attribute("data-painted", re.compile(" all$"))
    page.get_by_role("button", name="Layer 1: mean of all heads").click()
    expect(page.locator(".gtitle")).to_contain_text(["layer 1 of 2 · mean of 4 heads"])


@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desk", "phone"])
def test_column_labels_do_not_overlap_and_hover_shows_the_omitted_ones(
    screen: dict[str, object], server: str, visit: Open
) -> None:
    page = visit(f"{server}/{LONG}", **screen)
    page.wait_for_function(LABELS_APART, arg=12)  # pixels: the font size
    expect(page.locator(".st-key-canvas .ytick text")).to_have_count(32)
    box = page.locator(".st-key-canvas .heatmaplayer image").bounding_box() or {}
    page.locator(".st-key-canvas .nsewdrag").first.hover(
        position={"x": 1.5 / 32 * box["width"], "y": 0.5 / 32 * box["height"]}
    )
    expect(page.locator(".hoverlayer .hovertext")).to_contain_text("it attends to 2 the: ")
