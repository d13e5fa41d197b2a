"""States: a link, another layer, another view, and what a point says to a mouse and to a finger."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

import s2s
from tests.browser.conftest import PATIENCE, Open
from tests.browser.test_home import PHONE
from tests.browser.test_learn import complaints, fits, says, titled

LENS = (
    "states?run=demo-en-fr&src=the+bank+is+by+the+river&layer=1&set=view%3Alens%2Ccolour%3Aposition"
)
MAP = "encoder · after layer 1 of 2PCA of 14 tokens of 2 sentences, by position"
TOKENS = {2: "bank", 6: "river"}  # by their places, from 1: those that no other point lies upon
PLACES = "() => document.querySelector('.js-plotly-plot').calcdata.map(line => line.map(point => [point.x, point.y]))"
SAME = f"places => JSON.stringify(({PLACES})()) === JSON.stringify(places)"


@pytest.fixture(autouse=True)
def _patience() -> Iterator[None]:
    expect.set_options(timeout=PATIENCE * 1000)
    yield
    expect.set_options(timeout=5000)


def point(page: Page, place: int) -> Locator:
    """Of the first sentence."""
    return page.locator(".scatterlayer .point").nth(place - 1)


def hovered(page: Page) -> Locator:
    """What the picture says of the point."""
    return page.locator(".hoverlayer .hovertext")


def says_what_it_would_write(page: Page) -> None:
    """The lens, over the second of its rows and the middle one of its columns: embeddings, layer 1, layer 2."""
    tokens = s2s.load("demo-en-fr").translate(["the bank is by the river"], "beam")[0].tokens
    cells = page.locator(".heatmaplayer image")
    box = cells.bounding_box() or {}
    row = box["height"] / (len(tokens) + 1)  # `</s>`, too
    cells.hover(force=True, position={"x": box["width"] / 2, "y": 1.5 * row})
    expect(hovered(page)).to_contain_text([f"layer 1, where {tokens[1]} is written"])


def test_layer_and_view_of_a_link_change_with_picture_and_address_and_a_phone_opens_the_same(
    server: str, revisit: Open
) -> None:
    page = revisit(f"{server}/{LENS}")
    titled(page, "decoder · logit lens")
    expect(page.get_by_text("Most probable tokens · decoder · after layer 1 of 2")).to_be_visible()
    says_what_it_would_write(page)
    page.get_by_role("radio", name="0", exact=True).click()
    expect(page.get_by_text("Most probable tokens · decoder · embeddings")).to_be_visible()
    says(page, "layer=0")
    page.get_by_role("radio", name="Map", exact=True).click()
    titled(page, "encoder · embeddingsPCA of 14 tokens of 2 sentences, by position")
    entering = page.evaluate(PLACES)
    page.get_by_role("radio", name="1", exact=True).click()
    titled(page, MAP)
    says(page, "layer=1&set=strategy:beam,view:map")
    places = page.evaluate(PLACES)
    assert places != entering
    for place, token in TOKENS.items():
        point(page, place).hover(force=True)  # the layer that catches the mouse lies above
        expect(hovered(page)).to_contain_text([f"{token}, sentence 1, position {place}"])
    phone = revisit(page.url, **PHONE)
    titled(phone, MAP)
    phone.wait_for_function(SAME, arg=places)
    point(phone, 6).tap(force=True)  # what hover shows, tap shows
    expect(hovered(phone)).to_contain_text(["river, sentence 1, position 6"])
    fits(phone)
    assert complaints(page) == complaints(phone) == []
