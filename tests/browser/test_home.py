import csv
import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import s2s
from s2s.runs import Run
from s2s.ui.shell.pages import PAGES
from tests.browser.conftest import Open

PHONE = {
    "viewport": {"width": 420, "height": 860},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
SHOWS = """wanted => {
  const z = document.querySelector('.js-plotly-plot')?.calcdata?.[0]?.[0]?.z;
  return !!z && z.length === wanted.length
    && wanted.every((row, i) => z[i].length === row.length
      && row.every((value, j) => Math.abs(z[i][j] - value) < 1e-3));
}"""
QUIET = '[data-testid="stApp"][data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"]'

SIDEBAR = "document.querySelector('[data-testid=stSidebar]').getBoundingClientRect()"


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load("demo-en-fr")


def shows(page: Page, run: Run, text: str, *, layer: int = 1, head: int | None = None) -> str:
    """Waits until the screen shows the model's translation and attention weights; returns the translation."""
    (decoded,) = run.translate([text], "beam")
    cross = run.attention(text, decoded.text).cross[layer]
    expect(page.locator(".st-key-translation p[title]")).to_have_text(decoded.text)
    page.wait_for_function(
        SHOWS, arg=np.round(cross.mean(0) if head is None else cross[head], 5).tolist()
    )
    page.locator(QUIET).wait_for()
    assert page.get_by_role("dialog").count() == 0
    return decoded.text


def test_typing_changes_the_page_and_unknown_words_are_shown_as_text_and_known_ones_suggested(
    server: str, visit: Open, run: Run
) -> None:
    page = visit(server)
    shows(page, run, "the cat sits on the mat")
    page.get_by_label("Your English sentence").fill("")
    page.get_by_label("Your English sentence").press_sequentially(
        "the red house"
    )  # nobody presses Enter
    assert shows(page, run, "the red house") == "la maison rouge"
    page.wait_for_url("**/*src=the+red+house*")
    nasty = ["<img/src=x/onerror=window.hit=1>", "**bold**", ":material/home:"]
    page.get_by_label("Your English sentence").fill(" ".join(nasty))
    marked = page.locator(".st-key-unknown strong")
    expect(marked).to_have_count(3)
    assert [text.replace("\u2060", "") for text in marked.all_inner_texts()] == nasty
    for drawn in ("img", "strong strong", "strong [data-testid=stIconMaterial]"):
        assert page.locator(f".st-key-unknown {drawn}").count() == 0
    assert not page.evaluate("window.hit")
    page.get_by_label("Your English sentence").fill("the redd house")
    expect(page.locator(".st-key-unknown")).to_contain_text("redd is not among the")
    page.get_by_role("button", name="red", exact=True).click()
    shows(page, run, "the red house")
    expect(page.locator(".st-key-unknown")).to_have_count(0)


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


def test_the_share_link_shows_the_same_on_a_phone_with_taps_swipes_and_its_menu(
    server: str, visit: Open, run: Run
) -> None:
    page = visit(server)
    page.get_by_role("button", name="the bank is by the river").click()
    shows(page, run, "the bank is by the river")
    page.get_by_role("radio", name="2", exact=True).last.click()  # head, after layer
    shows(page, run, "the bank is by the river", head=1)
    page.get_by_role("button", name="Share").click()
    link = page.get_by_test_id("stPopoverBody").locator("code").inner_text()
    assert link == f"{server}/?v=1&run=demo-en-fr&src=the+bank+is+by+the+river&layer=2&head=2"
    phone = visit(link, **PHONE)
    shows(phone, run, "the bank is by the river", head=1)
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
    phone.get_by_test_id("stExpandSidebarButton").tap()
    menu = phone.get_by_test_id("stSidebar")
    phone.wait_for_function(f"{SIDEBAR}.x === 0")
    menu.get_by_text("Positions").tap()
    phone.wait_for_url("**/positions*")
    phone.wait_for_function(f"{SIDEBAR}.right <= 0")  # it has closed


def test_a_deep_link_opens_its_data_are_downloaded_a_candidate_is_written_and_the_link_copied(
    server: str, visit: Open, run: Run
) -> None:
    page = visit(f"{server}/?src=The+red+house.&layer=2&head=3", reduced_motion="no-preference")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    text = shows(page, run, "the red house", layer=1, head=2)
    assert text == "la maison rouge"
    expect(page).to_have_title(re.compile(r"^Home: .+ · s2s$"))
    expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(len(PAGES))
    with page.expect_download() as download:
        page.get_by_role("button", name="Download data").click()
    assert (
        download.value.suggested_filename
        == "demo-en-fr-step-1-500-cross-attention-layer-2-of-2-head-3-of-4.csv"
    )
    _, *rows = csv.reader(download.value.path().read_text().splitlines())
    given = np.array([[float(value) for value in row[1:]] for row in rows])
    np.testing.assert_allclose(given, run.attention("the red house", text).cross[1, 2], atol=1e-5)
    page.get_by_role("button", name="Help for Layer").focus()
    page.keyboard.press("Tab")  # which enters at the selected choice
    selected = page.evaluate("document.activeElement.innerText")
    assert selected == "2"
    page.get_by_role("button", name="Position 3: rouge").click()
    page.get_by_role("button", name="rouge").hover()
    page.locator("ol.alternatives button").nth(11).click(force=True)
    expect(page.get_by_text("there:", exact=False)).to_be_visible()
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_text("only on this computer")).to_be_visible()
    page.get_by_role("button", name="Copy", exact=True).last.click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert "src=The+red+house." in page.evaluate("navigator.clipboard.readText()")
