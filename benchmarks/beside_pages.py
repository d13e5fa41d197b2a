"""A training beside a browser that reruns a page without pause, on the same cores: what each keeps of its quiet speed.

In turn, several times: the training alone, the page alone (the training is paused), and both. Chromium opens Attention
of a demo and clicks another layer as soon as the page has answered; seconds run from the click to the end of the
script, measured in the browser. The training has a time budget and the preset `quick`, on Multi30k where it is
available; its speed is real tokens per second of the run's metrics.jsonl. Ratios of neighbors are reported, because
other work on the machine changes both.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

from playwright.sync_api import Page

from benchmarks.app import await_training
from benchmarks.browser import chromium, new_page, wait_idle
from benchmarks.report import last_line, options, table
from benchmarks.serving import DATA, Server, server

LEAST_SPEED = 1 / 3  # of the training's quiet speed
MOST_SLOWER = 2.0  # times the page's quiet p95
SETTLE = 6.0  # seconds before each measurement: the training adapts its threads
FILES = ("multi30k/train.en", "multi30k/train.de")
VIEW = "attention?run=demo-en-fr&src=the+cat+who+chased+the+mouse+was+black"
CONTROL = """
import sys
from s2s.jobs import run_service
from s2s.config import asker
getattr(run_service, sys.argv[1])(sys.argv[2], asker.LOCAL)
print("done")
"""
CLICKS = """async seconds => {
  const isIdle = () => document.querySelector('[data-testid="stApp"]')
    ?.getAttribute('data-test-script-state') === 'notRunning';
  const until = async (idle, milliseconds) => {
    const end = performance.now() + milliseconds;
    while (isIdle() !== idle && performance.now() < end)
      await new Promise(resolve => setTimeout(resolve, 4));
    return isIdle() === idle;
  };
  const waited = [];
  const end = performance.now() + 1000 * seconds;
  while (performance.now() < end) {
    const others = document.querySelectorAll('.st-key-layer [role="radio"][aria-checked="false"]');
    const started = performance.now();
    others[Math.floor(Math.random() * others.length)].click();
    if (!await until(false, 300)) continue;  // it was being replaced
    if (!await until(true, 60000)) throw 'no answer';
    waited.push((performance.now() - started) / 1000);
  }
  return waited;
}"""


def speed(served: Server, run: str, since: float) -> float:
    """Real tokens per second of wall time since then."""
    now = time.time()
    with (served.home / "runs" / run / "metrics.jsonl").open(encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.endswith("\n")]
    tokens = [
        line["n_tokens"]
        for line in lines
        if line["kind"] == "train" and since <= line["time"] <= now
    ]
    return sum(tokens) / (now - since)


def p95(waited: Sequence[float]) -> float:
    """The 95th percentile."""
    return sorted(waited)[min(len(waited) - 1, int(0.95 * len(waited)))]


def clicked(page: Page, seconds: float) -> list[float]:
    page.evaluate(CLICKS, 1.0)
    return [float(each) for each in page.evaluate(CLICKS, seconds)]


def one_round(served: Server, run: str, page: Page, seconds: float) -> dict[str, Any]:
    """The training alone, both, and the page alone."""
    time.sleep(SETTLE)
    began = time.time()
    time.sleep(seconds)
    if not (quiet_speed := speed(served, run, began)):
        raise SystemExit(
            f"No update within {seconds:g} s: this machine does other work; measure again later."
        )
    page.evaluate(CLICKS, SETTLE)
    began = time.time()
    waited = clicked(page, seconds)
    busy_speed = speed(served, run, began)
    served.python(CONTROL, "pause", run)
    time.sleep(1.0)
    quiet = clicked(page, seconds)
    served.python(CONTROL, "unpause", run)
    return {
        "tokens/s alone": quiet_speed,
        "beside the browser": busy_speed,
        "share": busy_speed / quiet_speed,
        "reruns alone": len(quiet),
        "p50 s": statistics.median(quiet),
        "p95 s": p95(quiet),
        "reruns beside": len(waited),
        "p50 s beside": statistics.median(waited),
        "p95 s beside": p95(waited),
        "p95 ratio": p95(waited) / p95(quiet),
        "load": os.getloadavg()[0],
    }


def medians(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Of the two ratios."""
    return {key: statistics.median(row[key] for row in rows) for key in ("share", "p95 ratio")}


def main() -> None:
    """One server, one training, several rounds."""
    parser = options(__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=30.0, help="of each measurement")
    arguments = parser.parse_args()
    paths = [DATA / name for name in FILES]
    rows = []
    with server() as served, chromium() as browser:
        source = served.store(*paths) if paths[0].is_file() else "builtin:en-fr"
        run = served.submit(source, "quick", {"train.minutes": 60, "model.d_model": 128})
        page = new_page(browser)
        page.goto(f"{served.url}/{VIEW}")
        wait_idle(page)
        await_training(served, run)
        for _ in range(arguments.rounds):
            rows.append(one_round(served, run, page, arguments.seconds))
    table(rows)
    found = medians(rows)
    print(
        f"\nmedians: the training keeps {found['share']:.2f} of its speed (goal >= {LEAST_SPEED:.2f}), the page's p95"
        f" is {found['p95 ratio']:.2f} times its quiet one (goal <= {MOST_SLOWER:g})"
    )
    last_line(
        "beside_pages", {"source": source.partition(":")[0], "rows": rows, **found}, arguments
    )


if __name__ == "__main__":
    main()
