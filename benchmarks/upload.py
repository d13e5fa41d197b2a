"""From choosing a file to the first training step: clicks and seconds, with default settings, in Chromium.

A table of 20,000 rows and 5 columns (id, url, en, de, split) is uploaded on Data, on a server without earlier visits;
time runs until Train shows the first step.
"""

from __future__ import annotations

import csv
import random
import re
import statistics
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from benchmarks.browser import chromium, new_page, wait_idle
from benchmarks.report import last_line, options, table
from benchmarks.serving import DATA, server

ROWS = 20_000
STEP = re.compile(r"Step [1-9][\d,]* of")
STAGES = ("file to preview", "preview to form", "Train to first step")


def pairs() -> Sequence[tuple[str, str]]:
    """Captions of Multi30k if available, else random sentences of 5 to 15 words."""
    files = [DATA / "multi30k" / name for name in ("train.en", "train.de")]
    if all(file.is_file() for file in files):
        sides = [file.read_text(encoding="utf-8").splitlines()[:ROWS] for file in files]
        return list(zip(*sides, strict=True))
    dice = random.Random(1)
    words = [[dice.randrange(2000) for _ in range(dice.randint(5, 15))] for _ in range(ROWS)]
    return [(" ".join(f"a{n}" for n in row), " ".join(f"b{n}" for n in row)) for row in words]


def write_table(file: Path) -> None:
    """Source and target between columns of other kinds."""
    with file.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "url", "en", "de", "split"])
        for number, (src, tgt) in enumerate(pairs(), 1):
            rows.writerow([number, f"https://example.org/pictures/{number}.jpg", src, tgt, "train"])


def walk(page: Page, url: str, file: Path) -> dict[str, float]:
    """Upload, preview, train; returns the seconds of each stage, and the clicks."""
    page.goto(f"{url}/data")
    wait_idle(page)
    clicks = 0
    chooser = page.locator('[data-testid="stFileUploader"] input[type=file]')
    chooser.wait_for(state="attached")
    wait_idle(page)
    marks = [time.perf_counter()]
    chooser.set_input_files(file)
    page.get_by_text(f"{ROWS:,} pairs.").first.wait_for()
    wait_idle(page)
    marks.append(time.perf_counter())
    clicks += _press(page, "train on")
    page.locator(".st-key-train button").wait_for()
    wait_idle(page)
    marks.append(time.perf_counter())
    clicks += _press(page, "train")
    expect(page.locator(".st-key-watch").get_by_text(STEP)).to_be_visible(timeout=300_000)
    marks.append(time.perf_counter())
    seconds = [after - before for before, after in pairwise(marks)]
    return dict(zip(STAGES, seconds, strict=True)) | {"all": marks[-1] - marks[0], "clicks": clicks}


def _press(page: Page, key: str) -> int:
    page.locator(f".st-key-{key.replace(' ', '-')} button").click()
    return 1


def once(browser: Browser, file: Path) -> dict[str, float]:
    """One visit with its own server and browser context."""
    with server() as served:
        page = new_page(browser, viewport={"width": 1440, "height": 900})
        try:
            return walk(page, served.url, file)
        finally:
            page.context.close()


def main() -> None:
    """Measure every run, then print the medians."""
    parser = options(__doc__)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        file = Path(folder) / "captions.csv"
        write_table(file)
        runs = [once(browser, file) for _ in range(arguments.runs)]
    medians = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    table(
        [{"run": number, **run} for number, run in enumerate(runs, 1)]
        + [{"run": "median", **medians}]
    )
    last_line("upload", {"rounds": arguments.runs, "runs": runs, "median": medians}, arguments)


if __name__ == "__main__":
    main()
