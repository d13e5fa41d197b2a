"""States: a link, another layer, another view, the hover text of a point, and a phone."""

from playwright.sync_api import Locator, Page, expect

import s2s
from tests.browser.conftest import Open
from tests.browser.test_learn import complaints, fits_a_phone, says, titled

LENS = (
    "states?run=demo-en-fr&src=the+bank+is+by+the+river&layer=1&set=view%3Alens%2Ccolour%3Aposition"
)
MAP = "encoder · after layer 1 of 2PCA of 14 tokens of 2 sentences, by position"
TOKENS = {2: "bank", 6: "river"}  # by position, from 1: the points that no other point covers
COORDINATES = """() => document.querySelector('.js-plotly-plot').calcdata
  .map(line => line.map(point => [point.x, point.y]))"""


def point(page: Page, position: int) -> Locator:
    """A token of the first sentence, by its position from 1."""
    return page.locator(".scatterlayer .point").nth(position - 1)


def hovered(page: Page) -> Locator:
    return page.locator(".hoverlayer .hovertext")


def lens_hover_names_the_token(page: Page) -> None:
    """Hover over the second row and the middle column of the lens: embeddings, layer 1, layer 2."""
    tokens = s2s.load("demo-en-fr").translate(["the bank is by the river"], "beam")[0].tokens
    cells = page.locator(".heatmaplayer image")
    box = cells.bounding_box() or {}
    row = box["height"] / (len(tokens) + 1)  # `</s>`, too
    cells.hover(force=True, position={"x": box["width"] / 2, "y": 1.5 * row})
    expect(hovered(page)).to_contain_text([f"layer 1, at the position that predicts {tokens[1]}"])


def test_choosing_a_layer_and_view_changes_map_and_link(server: str, visit: Open) -> None:
    page = visit(f"{server}/{LENS}")
    titled(page, "decoder · logit lens")
    expect(page.get_by_text("Most probable tokens · decoder · after layer 1 of 2")).to_be_visible()
    lens_hover_names_the_token(page)
    page.get_by_role("radio", name="0", exact=True).click()
    expect(page.get_by_text("Most probable tokens · decoder · embeddings")).to_be_visible()
    says(page, "layer=0")
    page.get_by_role("radio", name="Map", exact=True).click()
    titled(page, "encoder · embeddingsPCA of 14 tokens of 2 sentences, by position")
    embeddings = page.evaluate(COORDINATES)
    page.get_by_role("radio", name="1", exact=True).click()
    titled(page, MAP)
    says(page, "layer=1")
    says(page, "&set=view:map")
    assert page.evaluate(COORDINATES) != embeddings
    for position, token in TOKENS.items():
        point(page, position).hover(force=True)  # Plotly's drag layer covers the points
        expect(hovered(page)).to_contain_text([f"{token}, sentence 1, position {position}"])
    fits_a_phone(page)
    assert complaints(page) == []
