"""Data as a visitor uses it: rows of the hub, and a file that becomes clean, tokenized pairs."""

import json
import re
import time
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.server import Server
from tests.browser.test_home import PHONE
from tests.browser.test_walk import NASTY, quiet
from tests.hub.standin import Hub, Repo

PAIRS = [f"{a} {b} {c}\t{c} {b} {a}" for a in range(9) for b in range(9) for c in range(9)]
FAULTS = [*PAIRS[:5], "the same\tthe same", "<br>\tx y", f"{NASTY}\t{NASTY} 1"]
NARROW = "document.querySelector('[data-testid=stMain]').scrollWidth <= 420"


def view_on_a_phone(page: Page, name: str) -> None:
    """Opens a view, which must not be wider than the phone."""
    page.get_by_role("radio", name=re.compile(rf"{name}$")).click()
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    quiet(page)
    page.wait_for_function(NARROW, timeout=10_000)


def drop(page: Page, rule: str) -> None:
    """Chooses to drop such pairs, once the page is drawn: while it is, a control may be there twice."""
    quiet(page)
    page.get_by_role("button", name=re.compile(rf"^{rule} \(")).click()


def uploaded_files(server: Server) -> set[Path]:
    return set((server.home / "incoming").glob("*/*/draft.json"))


def rows_of_the_hub(page: Page, hub: Hub, server: Server) -> None:
    """Looks a dataset up, loads its rows and deletes them."""
    rows = b"".join(
        json.dumps({"id": at, "en": f"the {NASTY} {at}", "fr": f"le {at}"}).encode() + b"\n"
        for at in range(37)
    )
    hub.repos["team/pairs"] = Repo({"train.jsonl": rows, "dev.jsonl": rows})
    before = uploaded_files(server)
    page.get_by_role("radio", name=re.compile("Hub")).click()
    box = page.get_by_role("textbox", name=re.compile("Dataset of the Hugging Face hub"))
    box.fill("team/pairs")
    box.press("Enter")
    expect(page.get_by_text("Chosen because of")).to_be_visible()
    page.get_by_role("button", name="Load these rows").click()
    expect(page.get_by_text("37 pairs. Words per text")).to_be_visible()
    quiet(page)
    assert not page.evaluate("window.hit")
    page.get_by_role("button", name="Delete now").click()
    expect(box).to_be_visible()
    assert uploaded_files(server) <= before


def test_rows_of_the_hub_are_read_and_a_file_cleaned_given_a_task_and_trained_on_from_a_phone(
    hub: Hub, shared: Server, visit: Open, tmp_path: Path
) -> None:
    page = visit(f"{shared.address}/data")
    rows_of_the_hub(page, hub, shared)
    page.set_viewport_size(PHONE["viewport"])
    page.get_by_role("radio", name=re.compile("File or text")).click()
    file = tmp_path / "digits, mine.tsv"
    file.write_text("\n".join(PAIRS + FAULTS) + "\n", encoding="utf-16")
    page.locator("input[type=file]").set_input_files(file)
    n = len(PAIRS) + len(FAULTS)
    expect(page.get_by_text(f"{n} pairs. Words per text")).to_be_visible()
    expect(page.get_by_text("UTF-16")).to_be_visible()
    expect(page.get_by_text("An upload, stored on this server")).to_be_visible()
    page.wait_for_function(NARROW, timeout=10_000)

    view_on_a_phone(page, "Cleaning")
    expect(page.get_by_text(f"Drops nothing: all {n} pairs stay.")).to_be_visible()
    drop(page, "Duplicates")
    expect(page.get_by_text(f"Drops 5 of {n} pairs")).to_be_visible()
    drop(page, "Markup")
    expect(page.get_by_text(f"Drops 7 of {n} pairs")).to_be_visible()
    view_on_a_phone(page, "Task")
    page.get_by_role("combobox", name="Task", exact=True).click()
    page.get_by_role("option", name="reverse", exact=True).click()
    expect(page.get_by_text("Write the source's words in reverse order.")).to_be_visible()
    view_on_a_phone(page, "Statistics")
    expect(page.locator(".js-plotly-plot")).to_have_count(5)
    view_on_a_phone(page, "Tokens")
    expect(page.locator(".tokens span").first).to_be_visible()

    page.get_by_role("button", name="Train on these pairs").click()
    page.wait_for_url("**/train?set=source*")
    expect(page.get_by_text("Chosen for the dataset:")).to_contain_text("duplicates = True")
    expect(page.get_by_text("Chosen for the dataset:")).to_contain_text("task = reverse")
    until = time.monotonic() + 10
    while left := list(
        (shared.home / "incoming").glob("*/files")
    ):  # the upload is gone, the dataset is saved
        assert time.monotonic() < until, [sorted(path.parent.rglob("*")) for path in left]
        time.sleep(0.1)
    assert not page.evaluate("window.hit")
