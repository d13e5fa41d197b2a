import csv
import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import s2s
from s2s.runs import Run
from s2s.ui.shell.pages import PAGES, in_menu
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
LINK = "?v=1&run=demo-en-fr&src=the+bank+is+by+the+river&layer=2&head=2"


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load("demo-en-fr")


def shows(page: Page, run: Run, text: str, head: int | None = None) -> str:
    """Waits until the screen shows the translation and the last layer's weights; returns the former."""
    (decoded,) = run.translate([text], "beam")
    cross = run.attention(text, decoded.text).cross[-1]
    expect(page.locator(".st-key-translation p[title]")).to_have_text(decoded.text)
    weights = cross.mean(0) if head is None else cross[head]
    page.wait_for_function(SHOWS, arg=np.round(weights, 5).tolist())
    page.locator(QUIET).wait_for()
    assert page.get_by_role("dialog").count() == 0
    return decoded.text


def typed(page: Page, run: Run) -> None:
    """Types sentences, among them unknown words, which are shown as text and known ones suggested."""
    box = page.get_by_label("Your English sentence")
    box.fill("")
    box.press_sequentially("the cat sleeps")  # nobody presses Enter
    shows(page, run, "the cat sleeps")
    page.wait_for_url("**/*src=the+cat+sleeps*")
    nasty = ["<img/src=x/onerror=window.hit=1>", "**bold**", ":material/home:"]
    box.fill(" ".join(nasty))
    marked = page.locator(".st-key-unknown strong")
    expect(marked).to_have_count(3)
    assert [text.replace("\u2060", "") for text in marked.all_inner_texts()] == nasty
    for drawn in ("img", "strong strong", "strong [data-testid=stIconMaterial]"):
        assert page.locator(f".st-key-unknown {drawn}").count() == 0
    assert not page.evaluate("window.hit")
    box.fill("the redd house")
    expect(page.locator(".st-key-unknown")).to_contain_text("redd is not among the")
    page.get_by_role("button", name="red", exact=True).click()
    assert shows(page, run, "the red house") == "la maison rouge"
    expect(page.locator(".st-key-unknown")).to_have_count(0)


def test_typing_examples_and_heads_change_the_page_and_the_link_is_copied(
    server: str, visit: Open, run: Run
) -> None:
    page = visit(f"{server}/?run=demo-en-fr")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    shows(page, run, "the cat sits on the mat")
    typed(page, run)
    page.get_by_role("button", name="Examples").click()
    page.get_by_role("button", name="the bank is by the river").click()
    page.keyboard.press("Escape")
    shows(page, run, "the bank is by the river")
    page.get_by_role("radio", name="2", exact=True).last.click()  # head, after layer
    shows(page, run, "the bank is by the river", head=1)
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_text("only on this computer")).to_be_visible()
    page.get_by_role("button", name="Copy", exact=True).first.click()
    expect(page.get_by_text("Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"{server}/s/")
    page.goto(copied)
    shows(page, run, "the bank is by the river", head=1)
    page.get_by_role("button", name="Share").click()
    page.get_by_text("Full link, snapshot").click()
    expect(page.get_by_text(f"{server}/{LINK}")).to_be_visible()


def test_a_deep_link_opens_its_data_are_downloaded_and_a_candidate_is_written(
    server: str, visit: Open, run: Run
) -> None:
    page = visit(f"{server}/?src=The+red+house.&layer=2&head=3", reduced_motion="no-preference")
    text = shows(page, run, "the red house", head=2)
    assert text == "la maison rouge"
    expect(page).to_have_title(re.compile(r"^Home: .+ · seq2seq-lab$"))
    expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(len(in_menu(PAGES)))
    page.get_by_role("button", name="Save, data, code").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", exact=True).click()
    page.keyboard.press("Escape")
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
    page.get_by_role("button", name="Position 3: rouge").focus()
    for key in ("Enter", "Tab", "Tab"):  # opens the candidates, to the first one, to the second
        page.keyboard.press(key)
    second = page.get_by_role("list", name="Candidates at position 3").get_by_role("button").nth(1)
    expect(second).to_be_focused()
    page.keyboard.press("Enter")
    rewritten = page.locator(".st-key-translation p[title]")
    expect(rewritten).not_to_have_text(text)
    expect(rewritten).to_contain_text("la maison ")
    said = rewritten.inner_text()
    expect(page.get_by_role("button", name=re.compile("^Position 3: "))).to_be_focused()
    page.wait_for_url("**/*forced*")
    page.reload()
    expect(rewritten).to_have_text(said)
    page.get_by_role("button", name="Undo").click()
    expect(rewritten).to_have_text(text)
