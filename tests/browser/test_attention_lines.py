"""The lines of Attention: hover, keyboard, tap, and the saved files."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect

import s2s
from s2s.analysis import HeadSelection, reduced
from s2s.analysis.simplify import strongest_cells
from tests.browser import test_save_picture
from tests.browser.conftest import Open
from tests.browser.server import ROOT, Server
from tests.browser.test_home import PHONE

VIEW = "attention?run={run}&src=the+red+house&layer=1&head=3&set=view%3Alines"
HOSTILE = "<img/src=x/onerror=document.title='taken'>"
RUN = "abcdefgh12345678"


@pytest.fixture
def hostile_run(shared: Server) -> Iterator[str]:
    """A run with markup for a token."""
    folder = shared.home / "runs" / RUN
    shutil.copytree(ROOT / "s2s" / "demo" / "runs" / "demo-en-fr", folder)
    words = folder / "tgt.tokenizer.json"
    words.write_text(words.read_text().replace('"maison"', f'"{HOSTILE}"'))
    yield RUN
    shutil.rmtree(folder)


def lines(page: Page) -> Locator:
    return page.locator(".between path")


def token(page: Page, side: int, text: str) -> Locator:
    return page.locator(".side").nth(side).get_by_role("button", name=text, exact=True)


def saved(page: Page, label: str, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name=label, exact=True).click()
    file = folder / download.value.suggested_filename
    assert file.suffix == f".{label.lower()}"
    download.value.save_as(file)
    return file


def only_lines_of_a_hovered_focused_or_held_token(page: Page) -> None:
    run = s2s.load("demo-en-fr")
    seen = run.attention("the red house", run.translate(["the red house"])[0].text)
    links = strongest_cells(reduced(seen, HeadSelection("cross", 0, 2)).weights)
    expect(lines(page)).to_have_count(len(links))
    row = next(link.row for link in links)
    of_row = [link for link in links if link.row == row]
    token(page, 1, seen.tgt_tokens[row]).hover()
    expect(lines(page)).to_have_count(len(of_row))
    weights = {link.key: f"{link.weight:.2f}" for link in of_row}
    assert page.locator(".side output span").all_inner_texts() == [
        weights[key] for key in sorted(weights)
    ]
    page.mouse.move(5, 5)
    expect(lines(page)).to_have_count(len(links))
    token(page, 1, seen.tgt_tokens[0]).focus()
    page.keyboard.press("End")
    expect(token(page, 1, "</s>")).to_be_focused()
    expect(lines(page)).to_have_count(sum(link.row == len(seen.tgt_tokens) - 1 for link in links))
    page.keyboard.press("Enter")
    expect(token(page, 1, "</s>")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(lines(page)).to_have_count(len(links))


def a_tap_holds_a_token_and_a_second_tap_releases_it(page: Page) -> None:
    run = s2s.load("demo-en-fr")
    seen = run.attention("the red house", "la maison rouge")
    links = strongest_cells(reduced(seen, HeadSelection("encoder", 0, 2)).weights)
    page.get_by_role("radio", name="encoder", exact=True).click()
    expect(lines(page)).to_have_count(len(links))
    token(page, 0, "red").tap()
    expect(lines(page)).to_have_count(sum(link.key == 1 for link in links))
    expect(
        page.get_by_role("status").filter(has_text="red is attended to when reading")
    ).to_be_visible()
    token(page, 0, "red").tap()
    expect(lines(page)).to_have_count(len(links))


def test_lines_of_one_token_by_hover_keys_and_tap_and_saved_files_in_which_a_hostile_token_stays_text(
    hostile_run: str, server: str, visit: Open, tmp_path: Path
) -> None:
    page = visit(f"{server}/{VIEW.format(run=hostile_run)}", **PHONE)
    expect(token(page, 1, HOSTILE)).to_be_visible()
    only_lines_of_a_hovered_focused_or_held_token(page)
    page.locator(".st-key-menu-lines").get_by_role("button").click()
    picture = saved(page, "SVG", tmp_path).read_text()
    texts = [
        each.text
        for each in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert {"the", "red", "house", "la", "rouge", "</s>"} <= set(texts)
    assert HOSTILE in picture.replace("&lt;", "<").replace("&gt;", ">")
    saved_page = page.context.new_page()
    saved_page.goto(saved(page, "HTML", tmp_path).as_uri())
    expect(saved_page.locator("svg g[data-row]").first).to_be_attached()
    saved_page.locator("text[data-row='0']").hover()
    expect(saved_page.locator("svg.one g.own").first).to_be_attached()
    page.get_by_role("button", name="PNG, PDF").click()
    assert test_save_picture.saved(page, format="png", width="12").startswith(b"\x89PNG")
    assert {page.title(), saved_page.title()} & {"taken"} == set()
    assert (
        saved_page.locator("img").count()
        == page.get_by_test_id("stMain").locator("img").count()
        == 0
    )
    saved_page.close()
    a_tap_holds_a_token_and_a_second_tap_releases_it(page)
