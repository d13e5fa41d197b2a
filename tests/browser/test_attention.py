"""All heads of Attention in a real browser: link, click, double-click, keyboard, hover, saved pictures."""

import re

import numpy as np
from playwright.sync_api import Locator, Page, expect

import s2s
from tests.browser.conftest import DESKTOP, Open
from tests.browser.test_home import PHONE
from tests.browser.test_save_picture import contents, saved, words

VIEW = "attention?run=demo-en-fr&src=the+red+house&tgt=la+maison+rouge"
LAYERS = 2
HEADS = 4
LONG = "the red house " * 10 + "the"  # 32 tokens with the end
LABELS_APART = """([least, wide]) => { // pixels: the font size, the screen that the figure fits
  const figure = document.querySelector('.st-key-figure-map .js-plotly-plot .main-svg');
  if (!(figure?.getBoundingClientRect().right <= wide)) return false;
  const labels = [...document.querySelectorAll('.st-key-figure-map :is(.xtick, .x2tick) text')];
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


def column_labels_do_not_overlap_and_hover_shows_the_omitted_ones(page: Page) -> None:
    page.locator(".st-key-src input").fill(LONG)
    page.get_by_role("radio", name="encoder", exact=True).click()
    for screen in (DESKTOP, PHONE["viewport"]):
        page.mouse.move(5, 5)
        expect(page.locator(".hoverlayer .hovertext")).to_have_count(0)
        page.set_viewport_size(screen)
        page.wait_for_function(LABELS_APART, arg=[12, screen["width"]])
        expect(page.locator(".st-key-figure-map .ytick text")).to_have_count(32)
        box = page.locator(".st-key-figure-map .heatmaplayer image").bounding_box() or {}
        page.locator(".st-key-figure-map .nsewdrag").first.hover(
            position={"x": 1.5 / 32 * box["width"], "y": 0.5 / 32 * box["height"]}
        )
        expect(page.locator(".hoverlayer .hovertext")).to_contain_text("it attends to 2: red: ")


def test_a_link_clicks_and_keys_open_and_enlarge_a_head_hover_shows_the_weight_and_all_are_saved(
    server: str, visit: Open
) -> None:
    page = visit(f"{server}/{VIEW}&layer=2&head=2&set=alone%3A2.2")
    opened(page, "2", "2")
    expect(canvas(page)).to_have_attribute("data-painted", re.compile(r" 1\.1$"))
    page.get_by_role("button", name="All heads", exact=True).click()
    expect(canvas(page)).to_have_attribute("data-painted", re.compile(" all$"))
    page.wait_for_function("!location.search.includes('alone')")
    canvas(page).click(position=point(page, 0, 2))
    opened(page, "1", "3")
    page.wait_for_function("location.search.includes('layer=1')")
    page.locator(".heads").focus()
    for key in ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowDown"):  # there is no third layer
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
    canvas(page).dblclick(position=point(page, 1, 1))
    opened(page, "2", "2")
    expect(canvas(page)).to_have_attribute("data-painted", re.compile(r" 1\.1$"))
    page.wait_for_function("decodeURIComponent(location.search).includes('alone:2.2')")
    page.locator(".st-key-menu-map").get_by_role("button").click()
    page.get_by_role("button", name="PNG, PDF").click()
    assert {"maison", "rouge", "predicts"} <= {*words(saved(page, format="pdf", width="12"))}
    page.locator(".st-key-menu-heads").get_by_role("button").click()
    page.get_by_role("button", name="PNG, PDF").click()
    pdf = saved(page, format="pdf", width="12")
    assert {"layer", "head", "monotonic"} <= {*words(pdf)}
    assert contents(pdf).count(" Do") == 9  # eight heads, and the arrow of the caption
    column_labels_do_not_overlap_and_hover_shows_the_omitted_ones(page)
