"""A whole visit: upload, train, watch, compare, inspect attention, share a link; and what must not break it."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import s2s
from s2s.ui.shell import pages
from tests.browser.conftest import PATIENCE, Open, Server
from tests.browser.test_home import QUIET, SHOWS

NASTY = (
    "<img/src=x/onerror=window.hit=1> <script>window.hit=1</script> **bold** :material/home: $x^2$ :red[x]"
    " [a](javascript:window.hit=1)"
)
SMALL = {
    "train.steps": "100000",
    "train.warmup_steps": "20",
    "train.batch_tokens": "256",
    "train.watch.validate_every": "200",
    "train.watch.save_every": "200",
    "model.d_model": "32",
    "model.encoder.d_ff": "64",
    "model.decoder.d_ff": "64",
    "model.encoder.n_layers": "1",
    "model.decoder.n_layers": "1",
    "tokenizer.kind": "word",
}


@pytest.fixture(autouse=True)
def _patience() -> Iterator[None]:
    expect.set_options(timeout=PATIENCE * 1000)
    yield
    expect.set_options(timeout=5000)


def quiet(page: Page) -> None:
    page.locator(QUIET).wait_for()


def step(page: Page) -> int:
    """The step that the progress bar shows."""
    text = page.get_by_text(re.compile(r"Step [\d,]+ of")).first.inner_text()
    return int(re.search(r"Step ([\d,]+)", text)[1].replace(",", ""))  # type: ignore[index]


def moves(page: Page, beyond: int) -> int:
    """Waits until the page shows a later step without being touched; returns it."""
    reads = "beyond => [...document.querySelectorAll('[data-testid=stProgress]')].some(bar => {"
    reads += "const found = bar.innerText.match(/Step ([\\d,]+)/);"
    reads += "return found && Number(found[1].replace(/,/g, '')) > beyond; })"
    page.wait_for_function(reads, arg=beyond)
    return step(page)


def becomes(page: Page, state: str) -> None:
    """Waits until the watched run's badge shows this state."""
    expect(page.locator(".st-key-watch p", has_text=re.compile(f"{state}$"))).to_be_visible()


def two_files(folder: Path) -> list[Path]:
    """Digits with their reversal, and one pair of markup that must never be executed."""
    lines = [f"{a} {b} {c}" for a in range(9) for b in range(9) for c in range(9)]
    src = folder / "digits.src"
    tgt = folder / "digits.tgt"
    src.write_text("\n".join([NASTY, *lines]) + "\n")
    tgt.write_text("\n".join([NASTY, *(" ".join(line.split()[::-1]) for line in lines)]) + "\n")
    return [src, tgt]


def shared_link(page: Page) -> str:
    page.get_by_role("button", name="Share").click()
    link = page.get_by_test_id("stPopoverBody").locator("code").inner_text()
    page.keyboard.press("Escape")
    return link


def train(page: Page, own_server: Server, tmp_path: Path) -> None:
    """Upload on Data, choose a small recipe by link, press Train."""
    page.get_by_role("radio", name=re.compile("Upload")).click()
    page.locator("input[type=file]").set_input_files(two_files(tmp_path))
    expect(page.get_by_text("730", exact=True)).to_be_visible()
    page.get_by_role("button", name="Train on these pairs").click()
    page.wait_for_url("**/train?set=source*")
    expect(page.get_by_role("button", name="Train", exact=True)).to_be_enabled()
    quiet(page)
    (folder,) = (own_server.home / "corpora").iterdir()
    settings = ",".join(
        f"{key}:{value}"
        for key, value in {"source": f"corpus:{folder.name}", "preset": "small", **SMALL}.items()
    )
    page.goto(f"{own_server.address}/train?set={settings}")
    expect(page.get_by_role("spinbutton", name="Training steps")).to_have_value("100000")
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_text(re.compile(r"Step [\d,]+ of"))).to_be_visible()


def test_upload_train_compare_attention_share(
    own_server: Server, visit: Open, tmp_path: Path
) -> None:
    page = visit(f"{own_server.address}/data")
    train(page, own_server, tmp_path)
    page.wait_for_url("**run=*")
    reached = moves(page, 0)

    page.reload()  # does not disturb training
    reached = moves(page, reached)
    other = visit(page.url)  # nor does a second visitor
    moves(other, reached)
    own_server.kill()
    reached = max(step(page), step(other))  # further than any tab comes without a server
    own_server.start()
    moves(page, reached)  # the open tab reconnects by itself
    moves(other, reached)

    page.wait_for_function("document.querySelector('.js-plotly-plot')?.data?.[1]?.x?.length !== 0")
    expect(page.get_by_text("Sample translations")).to_be_visible()
    other.get_by_role("button", name="Stop").click()
    becomes(page, "stopped")  # by the other visitor
    expect(page.get_by_role("button", name="Resume", exact=True)).to_be_visible()
    stopped = step(page)
    page.get_by_role("button", name="Resume", exact=True).click()
    moves(page, stopped)
    own_server.workers()[-1].kill()
    becomes(page, "interrupted")
    page.get_by_role("button", name="Resume", exact=True).click()
    moves(page, stopped)
    page.get_by_role("button", name="Stop").click()
    becomes(page, "stopped")
    quiet(page)

    (run_id,) = (path.name for path in (own_server.home / "runs").iterdir())
    page.get_by_role("link", name=re.compile("Translate$")).click()
    page.wait_for_url("**/compare*")
    page.get_by_role("textbox", name=re.compile("Your")).fill("1 2 3")
    run = s2s.load(own_server.home / "runs" / run_id)
    (decoded,) = run.translate(["1 2 3"], "beam")
    expect(page.locator(".st-key-translation p[title]")).to_have_text(decoded.text)
    page.get_by_role("radio", name="greedy").click()
    (decoded,) = run.translate(["1 2 3"], "greedy")
    expect(page.locator(".st-key-translation p[title]")).to_have_text(decoded.text)
    expect(page.locator(".st-key-tokens .tokens span")).to_have_count(len(decoded.tokens))
    page.wait_for_url("**c1=*greedy*")
    again = visit(shared_link(page))
    expect(again.get_by_role("radio", name="greedy")).to_be_checked()
    expect(again.locator(".st-key-translation p[title]")).to_have_text(decoded.text)

    quiet(page)
    page.get_by_role("link", name="What it attends to").click()
    page.wait_for_url("**/attention*")
    page.get_by_role("radio", name="encoder", exact=True).click()
    seen = run.attention("1 2 3", decoded.text)
    expected = np.round(seen.encoder[-1].mean(0), 5).tolist()
    page.wait_for_function(SHOWS, arg=expected)
    quiet(page)
    link = shared_link(page)
    own_server.kill()
    own_server.start()  # a cold server
    fresh = visit(link)
    fresh.wait_for_function(SHOWS, arg=expected)
    expect(fresh.get_by_role("radio", name="encoder", exact=True)).to_be_checked()
    assert shared_link(fresh) == link
    assert not any(tab.evaluate("window.hit") for tab in (page, other, again, fresh))


@pytest.mark.parametrize("first", ["attention", "walkthrough"])
def test_deep_links_open_on_a_fresh_server(first: str, fresh_server: str, revisit: Open) -> None:
    """Streamlit resolves the first address of a server differently where a folder `pages/` is next to the script."""
    paths = [row.url_path for row in pages.PAGES]
    later = paths if first == "attention" else []
    for path in (first, *later):
        page = revisit(f"{fresh_server}/{path}")
        quiet(page)
        row = next(row for row in pages.PAGES if row.url_path == path)
        expect(page).to_have_title(f"{row.title} · s2s")
        assert page.get_by_role("dialog").count() == 0
        assert page.get_by_test_id("stException").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 1440


def test_markup_in_a_visitors_text_stays_text_on_every_page(
    own_server: Server, visit: Open, tmp_path: Path
) -> None:
    page = visit(f"{own_server.address}/data")
    page.get_by_role("radio", name=re.compile("Paste")).click()
    lines = "\n".join(f"{NASTY} {n} ||| {n} {NASTY}" for n in range(60))
    page.get_by_role("textbox", name=re.compile("One pair per line")).fill(lines)
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Train on these pairs").click()
    page.wait_for_url("**/train?set=source*")
    quiet(page)
    (folder,) = (own_server.home / "corpora").iterdir()
    settings = {"source": f"corpus:{folder.name}", "preset": "small", **SMALL, "train.steps": "3"}
    page.goto(
        f"{own_server.address}/train?set={','.join(f'{key}:{value}' for key, value in settings.items())}"
    )
    page.get_by_role("textbox", name="Name").fill(NASTY[:80])
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_text("Train another")).to_be_visible()  # the page shows the new run
    becomes(page, "done")
    (run_id,) = (path.name for path in (own_server.home / "runs").iterdir())
    for path in ("train", "runs", "compare", "attention", ""):
        page.goto(f"{own_server.address}/{path}?run={run_id}")
        quiet(page)
        page.wait_for_timeout(300)
        assert not page.evaluate("window.hit"), path
        assert page.locator("img[src=x], a[href^=javascript]").count() == 0, path
    page.get_by_role("textbox", name=re.compile("Your")).fill(NASTY)
    expect(page.locator(".st-key-translation p[title]")).to_be_visible()
    quiet(page)
    assert not page.evaluate("window.hit")


def test_a_run_deleted_while_a_page_shows_it_is_reported(
    own_server: Server, visit: Open, tmp_path: Path
) -> None:
    page = visit(f"{own_server.address}/data")
    train(page, own_server, tmp_path)
    page.get_by_role("button", name="Stop").click()
    becomes(page, "stopped")
    (run_id,) = (path.name for path in (own_server.home / "runs").iterdir())
    other = visit(f"{own_server.address}/runs?run={run_id}")
    other.get_by_role("button", name="Delete", exact=True).click()
    other.get_by_role("button", name="Delete this run").click()
    expect(other.get_by_text("No runs of your own yet")).to_be_visible()
    page.get_by_role("link", name="Attention", exact=True).first.click()
    expect(page.get_by_text(f"There is no run {run_id} here")).to_be_visible()
    page.locator(".js-plotly-plot").first.wait_for()
