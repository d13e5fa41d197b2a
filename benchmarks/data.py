"""Uploads: two files of Multi30k until their issues are shown, a million pairs through all steps, and decompression
bombs.

The memory of the server is measured while other processes read: it never holds the dataset.
"""

from __future__ import annotations

import gzip
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from benchmarks.browser import chromium, new_page, wait_idle
from benchmarks.report import last_line, options, table
from benchmarks.serving import DATA, ROOT, Server, processes, pss, server

MILLION = 1_000_000
PATIENCE = 300.0  # seconds
BAR = "document.querySelector('[data-testid=stProgress] [role=progressbar]')?.getAttribute('aria-valuenow')"
TOKENIZE = """
import json, sys
from s2s.config import Recipe, override
from s2s.data import load_pairs_for_training
from s2s.training import prepare
recipe = override(Recipe(), {"tokenizer.kind": "bpe", "tokenizer.vocab_size": 10_000, "train.device": "cpu"})
pairs = load_pairs_for_training(sys.argv[1], None, 1, recipe.data)
print(len(prepare(recipe, pairs.train, pairs.valid).train))
"""
READ = """
import re, sys, time
started = time.perf_counter()
from s2s.config import UserError
from s2s.data import load
try:
    outcome = f"read {len(load(sys.argv[1]))} pairs"
except UserError as error:
    outcome = str(error)
peak = int(re.search("VmHWM:[^0-9]+([0-9]+)", open("/proc/self/status").read())[1]) * 1024 / 1e6
print(peak, time.perf_counter() - started, outcome, sep="|")
"""


class MemoryWatch(threading.Thread):
    """Peak memory of the server and of the reading process, until `over` is set."""

    def __init__(self, served: Server) -> None:
        super().__init__(daemon=True)
        self.served = served
        self.over = threading.Event()
        self.server = 0.0
        self.reader = 0.0

    def run(self) -> None:
        while not self.over.wait(0.2):
            for pid, role in processes(self.served.home).items():
                try:
                    megabytes = pss(pid)
                except OSError:
                    continue
                if role == "server":
                    self.server = max(self.server, megabytes)
                elif role == "reader":
                    self.reader = max(self.reader, megabytes)


def upload(page: Page, url: str, files: list[Path], pairs: int) -> dict[str, Any]:
    """Seconds from choosing the files until pairs and quality issues are shown; values of the progress bar."""
    page.goto(f"{url}/data")
    wait_idle(page)
    chooser = page.locator('[data-testid="stFileUploader"] input[type=file]')
    chooser.wait_for(state="attached")
    wait_idle(page)
    started = time.perf_counter()
    shares = set()
    chooser.set_input_files(files)
    counted = page.get_by_text(f"{pairs:,} pairs.")
    while not counted.count():
        shares.add(page.evaluate(BAR))
        page.wait_for_timeout(50)
        if time.perf_counter() - started > PATIENCE:
            raise SystemExit("The dataset was not shown in time.")
    shown = time.perf_counter() - started
    page.get_by_role("radio", name="Cleaning").click()
    page.get_by_text("Drops").first.wait_for()
    return {
        "shown": shown,
        "linted": time.perf_counter() - started,
        "bar": sorted(int(share) for share in shares if share),
    }


def multi30k(browser: Browser, times: int) -> dict[str, Any]:
    """Medians over fresh servers."""
    files = [DATA / "multi30k" / name for name in ("train.en", "train.de")]
    runs = []
    for _ in range(times):
        with server() as served:
            page = new_page(browser, viewport={"width": 1440, "height": 900})
            runs.append(upload(page, served.url, files, 29_000))
            page.context.close()
    return {key: statistics.median(run[key] for run in runs) for key in ("shown", "linted")}


def million(browser: Browser, folder: Path) -> dict[str, Any]:
    """Read, checked and shown, then tokenized with a vocabulary of 10,000 as for training."""
    file = folder / "million.tsv"
    write_million(file)
    with server() as served:
        page = new_page(browser, viewport={"width": 1440, "height": 900})
        watch = MemoryWatch(served)
        watch.start()
        found = upload(page, served.url, [file], MILLION)
        page.locator(".st-key-train-on button").click()
        page.locator(".st-key-train button").wait_for()
        (saved,) = (served.home / "corpora").iterdir()
        watch.over.set()
        started = time.perf_counter()
        served.python(TOKENIZE, f"corpus:{saved.name}")
        tokenized = time.perf_counter() - started
        page.context.close()
    return {
        "megabytes": file.stat().st_size / 1e6,
        **{key: found[key] for key in ("shown", "linted", "bar")},
        "tokenized": tokenized,
        "all": found["linted"] + tokenized,
        "app MB": watch.server,
        "reader MB": watch.reader,
    }


def write_million(file: Path) -> None:
    """The shorter captions of Multi30k, numbered so that all are distinct: about 120 MB."""
    sides = [
        (DATA / "multi30k" / name).read_text(encoding="utf-8").split("\n")
        for name in ("train.en", "train.de")
    ]
    complete = [
        pair for pair in zip(*sides, strict=True) if all(pair) and "\t" not in "".join(pair)
    ]
    pairs = sorted(complete, key=lambda pair: len("".join(pair)))
    pairs = pairs[: len(pairs) * 3 // 4]
    with file.open("w", encoding="utf-8") as out:
        out.write("en\tde\n")
        for number in range(MILLION):
            src, tgt = pairs[number % len(pairs)]
            out.write(f"{src} {number}\t{tgt} {number}\n")


def bombs(folder: Path) -> list[dict[str, Any]]:
    """Small files that unpack to large ones: the error, and the peak memory of a process that reads them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    packed = folder / "bomb.parquet"
    gz = folder / "bomb.tsv.gz"
    column = pa.DictionaryArray.from_arrays(
        pa.array([0] * 2_000_000, pa.int32()), pa.array(["x" * 1000])
    )
    pq.write_table(pa.table({"src": column, "tgt": column}), packed, compression="zstd")
    with gzip.open(gz, "wb", compresslevel=9) as out:
        for _ in range(300):
            out.write((b"a" * 499 + b"\t" + b"b" * 499 + b"\n") * 1000)
    rows = []
    for file in (packed, gz):
        environment = {**os.environ, "S2S_HOME": str(folder / "home")}
        command = [sys.executable, "-c", READ, str(file)]
        answer = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        megabytes, seconds, outcome = answer.stdout.strip().split("|", 2)
        rows.append(
            {
                "file": file.name,
                "kB": file.stat().st_size / 1e3,
                "peak MB": float(megabytes),
                "s": float(seconds),
                "said": outcome,
            }
        )
    return rows


def main() -> None:
    """Run all three parts."""
    parser = options(__doc__)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        refused = bombs(Path(name))
        table(refused)
        with chromium() as browser:
            small = multi30k(browser, arguments.runs)
            table([small])
            large = million(browser, Path(name))
            table([large])
    last_line("data", {"bombs": refused, "multi30k": small, "million": large}, arguments)


if __name__ == "__main__":
    main()
