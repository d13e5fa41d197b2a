"""A whole visit: upload, train, watch, compare, inspect attention, share a link; and what must not break it."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import s2s
from s2s.model import saved_steps
from tests.browser.conftest import Open
from tests.browser.server import Server, serving
from tests.browser.test_home import PHONE, QUIET, SHOWS

NASTY = (
    "<img/src=x/onerror=window.hit=1> <script>window.hit=1</script> **bold** :material/home: $x^2$ :red[x]"
    " [a](javascript:window.hit=1)"
)
SMALL = {
    "train.steps": "100000",
    "train.warmup_steps": "20",
    "train.batch_tokens": "256",
    "train.watch.validate_every": "1000",
    "train.watch.save_every": "50",
    "model.d_model": "32",
    "model.encoder.d_ff": "64",
    "model.decoder.d_ff": "64",
    "model.encoder.n_layers": "1",
    "model.decoder.n_layers": "1",
    "tokenizer.kind": "word",
}


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


def stop(page: Page) -> None:
    """Stop the run that the page shows, which it asks about first."""
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name="Stop this run").click()


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
    panel = page.get_by_test_id("stPopoverBody")
    full = panel.locator("code").last  # below the short one, folded
    expect(full).to_have_text(re.compile(r"^http.*\?"))
    link = full.text_content() or ""
    quiet(page)  # the panel is complete, and Escape is no longer lost to one that is drawn again
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)  # it would take the next click
    return link


def train(page: Page, server: Server, tmp_path: Path) -> None:
    """Upload on Data, choose a small recipe by link, name the run, press Train."""
    page.locator("input[type=file]").set_input_files(two_files(tmp_path))
    expect(page.get_by_text("730 pairs. Words per text")).to_be_visible()
    page.get_by_role("button", name="Train on these pairs").click()
    page.wait_for_url("**/train?set=source*")
    (folder,) = (server.home / "corpora").iterdir()
    settings = ",".join(
        f"{key}:{value}"
        for key, value in {"source": f"corpus:{folder.name}", "preset": "small", **SMALL}.items()
    )
    page.goto(f"{server.address}/train?set={settings}")
    expect(page.get_by_role("spinbutton", name="Training steps")).to_have_value("100000")
    quiet(page)
    page.locator(".st-key-settings summary").first.click()
    page.get_by_role("textbox", name="Name").fill(NASTY[:80])
    # pressing the mouse button commits the name; the script runs before it is released
    page.get_by_role("button", name="Train", exact=True).click(delay=100)
    expect(page.get_by_text(re.compile(r"Step [\d,]+ of"))).to_be_visible()


def is_inert(page: Page) -> None:
    """No markup of the visitor's is executed or drawn."""
    quiet(page)
    assert not page.evaluate("window.hit"), page.url
    assert page.locator("img[src=x], a[href^=javascript]").count() == 0, page.url


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server without runs, which the visit kills and starts again."""
    home = tmp_path / "server"
    home.mkdir()
    with serving(home, is_fresh=True) as server:
        yield server


def test_a_visit_from_upload_to_shared_link_survives_a_killed_server_markup_and_deletion(
    server: Server, visit: Open, tmp_path: Path
) -> None:
    page = visit(f"{server.address}/data")
    train(page, server, tmp_path)
    page.wait_for_url("**run=*")
    moves(page, 0)

    server.kill()
    reached = step(page)  # further than the tab comes without a server
    server.start()
    moves(page, reached)  # the open tab reconnects by itself, to a training that went on
    # of the address, which is a fresh server's first
    expect(page).to_have_title(re.compile(r"^Train(: .+)? · seq2seq-lab$"))
    assert page.get_by_role("dialog").count() == 0

    page.locator(".js-plotly-plot").first.wait_for()
    expect(page.locator(".st-key-samples")).to_be_visible()
    server.workers()[-1].kill()
    becomes(page, "interrupted")
    stopped = step(page)
    other = visit(page.url, **PHONE)  # a second visitor
    # drawn whole: what comes later above Stop would push its question out of sight
    other.locator(".js-plotly-plot").first.wait_for()
    other.get_by_role("button", name="Resume", exact=True).click()
    moves(other, stopped)
    stop(other)
    becomes(page, "stopped")  # by the other visitor
    expect(page.get_by_role("button", name="Resume", exact=True)).to_be_visible()
    is_inert(page)

    (run_id,) = (path.name for path in (server.home / "runs").iterdir())
    page.get_by_role("link", name=re.compile("Translate")).first.click()
    page.wait_for_url("**/compare*")
    page.get_by_role("textbox", name=re.compile("Your")).fill("1 2 3")
    run_folder = server.home / "runs" / run_id
    run = s2s.load(run_folder, saved_steps(run_folder / "checkpoints")[-1])  # which the link opens
    (decoded,) = run.translate(["1 2 3"], "beam")
    expect(page.locator("td[data-of=translation]")).to_have_text(decoded.text)
    page.get_by_role("radio", name="greedy").click()
    (decoded,) = run.translate(["1 2 3"], "greedy")
    expect(page.locator("td[data-of=translation]")).to_have_text(decoded.text)
    expect(page.locator(".tokens span")).to_have_count(len(decoded.tokens))
    page.wait_for_url("**c1=*greedy*")
    is_inert(page)

    page.get_by_role("link", name="What it attends to").click()
    page.wait_for_url("**/attention*")
    page.get_by_role("radio", name="encoder", exact=True).click()
    attention = run.attention("1 2 3", decoded.text)
    expected = np.round(attention.encoder[-1].mean(0), 5).tolist()
    page.wait_for_function(SHOWS, arg=expected)
    is_inert(page)
    other = visit(shared_link(page), **PHONE)
    other.wait_for_function(SHOWS, arg=expected)
    expect(other.get_by_role("radio", name="encoder", exact=True)).to_be_checked()

    page.get_by_role("textbox", name=re.compile("Your")).fill(NASTY)
    page.wait_for_function("new URL(location).searchParams.get('src').startsWith('<img')")
    quiet(page)  # a page that still answers may take the address back
    is_inert(page)
    page.get_by_role("link", name="Home", exact=True).first.click()
    expect(page.locator(".st-key-translation p[title]")).to_be_visible()
    is_inert(page)

    page.get_by_role("link", name="Runs", exact=True).first.click()
    page.get_by_role("button", name="Delete", exact=True).click()
    is_inert(page)
    page.get_by_role("button", name="Delete this run").click()
    expect(page.get_by_text("No runs of your own yet")).to_be_visible()
    other.get_by_role("radio", name="cross", exact=True).click()  # which still shows the run
    expect(other.get_by_text(f"There is no run {run_id} here")).to_be_visible()
    other.locator(".js-plotly-plot").first.wait_for()
