"""All heads at once: time from click to paint in Chromium, minus that of an empty rerun, and the server's time per
switch.

A row of SHEETS is random attention of this shape on its own page (heads_page.py); clicks that draw and clicks that do
nothing alternate, and the difference of their medians counts. A row of SWITCHES is one control of Attention, in a
session without a browser (session.py), on an untrained model of 6 layers by 8 heads with 128 source and target tokens.
`cpu_ms`: CPU time per click, which hardly depends on other load: of server and browser, minus that of an empty rerun,
or of the server alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import psutil
from playwright.sync_api import Browser

from benchmarks.browser import chromium, new_page
from benchmarks.report import last_line, options, table
from benchmarks.serving import ROOT, Server, processes, server
from benchmarks.session import Session

CLICKED = """([button, watched, name]) => new Promise(done => {
  const started = performance.now(), before = watched.dataset[name];
  const target = watched.isConnected && watched.getRootNode() === document ? document.body : watched;
  new MutationObserver((_, watch) => {
    const now = watched.isConnected ? watched : document.querySelector('#stamp');
    if (!now || now.dataset[name] === before) return;
    watch.disconnect();
    done(performance.now() - started);
  }).observe(target, { attributes: true, childList: true, subtree: true });
  button.click();
})"""
QUIET = '[data-testid="stApp"][data-test-script-state="notRunning"]'
RUN = "heads000deadbeef"
LETTERS = "abcdefghij klmnopq rstuvw xyz"
LONG = "".join(itertools.islice(itertools.cycle(LETTERS), 127))  # with </s> 128 tokens


def spent(home: Path) -> float:
    """CPU milliseconds of the server of this home, and of the browser if there is one, so far."""
    servers = [psutil.Process(pid) for pid, role in processes(home).items() if role == "server"]
    taken = 0.0
    for process in (*servers, *psutil.Process().children(recursive=True)):
        with contextlib.suppress(psutil.Error):
            if process in servers or process.name().startswith("chrom"):
                taken += sum(process.cpu_times()[:2])
    return 1000 * taken


class Sheet(NamedTuple):
    """Layers, heads, tokens per side, and the goal in milliseconds above an empty rerun."""

    layers: int
    heads: int
    tokens: int
    goal: float


class Switch(NamedTuple):
    """A control of Attention: its key and its values, chosen in turn."""

    key: str
    values: tuple[str, ...]
    goal: float = 200  # milliseconds


SHEETS = (Sheet(6, 8, 60, 60), Sheet(24, 16, 128, 400))
SWITCHES: Mapping[str, Switch] = MappingProxyType(
    {
        "Attention: head": Switch("head", ("1", "2", "3", "4", "5", "6", "7", "8", "mean")),
        "Attention: layer": Switch("layer", ("1", "2", "3", "4", "5", "6", "mean")),
        "Attention: kind": Switch("kind", ("encoder", "decoder", "cross")),
        "Attention: reduction": Switch(
            "attention reduce", ("Largest weight", "Rollout", "Norm-weighted", "Weights")
        ),
    }
)


def painted(browser: Browser, served: Server, sheet: Sheet, times: int) -> dict[str, Any]:
    """Medians of alternating clicks that draw another sheet or do nothing; the first of each warms up."""
    page = new_page(browser, viewport={"width": 1440, "height": 900})
    page.goto(f"{served.url}/?layers={sheet.layers}&heads={sheet.heads}&tokens={sheet.tokens}")
    page.locator(".heads canvas[data-painted]").wait_for()
    taken: dict[str, list[float]] = {"drawn": [], "idle": []}
    cost: dict[str, list[float]] = {"drawn": [], "idle": []}
    ways = {"drawn": ("Draw", ".heads canvas", "painted"), "idle": ("Nothing", "#stamp", "idle")}
    for _ in range(times + 1):
        for way, (button, watched, name) in ways.items():
            page.locator(QUIET).wait_for()
            page.wait_for_timeout(250)
            handles = [
                page.get_by_role("button", name=button).element_handle(),
                page.locator(watched).element_handle(),
                name,
            ]
            before = spent(served.home)
            taken[way].append(page.evaluate(CLICKED, handles))
            page.locator(QUIET).wait_for()
            page.wait_for_timeout(250)
            cost[way].append(spent(served.home) - before)
    page.context.close()
    drawn, idle = (statistics.median(taken[way][1:]) for way in ("drawn", "idle"))
    part = f"{sheet.layers * sheet.heads} heads of {sheet.tokens} x {sheet.tokens}"
    return {
        "part": part,
        "n": times,
        "p50_ms": drawn,
        "empty_ms": idle,
        "over_ms": drawn - idle,
        "goal_ms": sheet.goal,
        "cpu_ms": statistics.mean(cost["drawn"][1:]) - statistics.mean(cost["idle"][1:]),
    }


def train(served: Server) -> None:
    """A run of 6 layers by 8 heads in the server's home: three steps, since only its shape matters."""
    sizes = {
        "model.n_layers": 6,
        "model.n_heads": 8,
        "model.d_model": 64,
        "model.d_ff": 64,
        "tokenizer.kind": "char",
    }
    short = {"train.steps": 3, "train.warmup_steps": 1, "train.threads": 1}
    changes = [f"--set={key}={value}" for key, value in {**sizes, **short}.items()]
    command = [
        sys.executable,
        "-m",
        "s2s",
        "train",
        "--source=builtin:mini-en-fr",
        "--preset=small",
        f"--out={served.home / 'runs' / RUN}",
    ]
    subprocess.run(
        [*command, *changes],
        cwd=ROOT,
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "S2S_HOME": str(served.home)},
    )


async def switched(served: Server, times: int) -> list[dict[str, Any]]:
    """Choose the values of each control in turn, repeatedly; the first round warms up."""
    rows = []
    for name, switch in SWITCHES.items():
        session = Session(served.url)
        await session.connect()
        await session.open(
            "attention", {"run": RUN, "src": LONG, "tgt": LONG, "kind": "cross", "layer": "2"}
        )
        for value in switch.values:
            await session.set(switch.key, value)
        before = spent(served.home)
        seconds = [
            await session.set(switch.key, value) for _ in range(times) for value in switch.values
        ]
        cost = (spent(served.home) - before) / len(seconds)
        if session.exceptions or session.complaints:
            raise SystemExit("\n".join([*session.exceptions, *session.complaints]))
        rows.append(
            {
                "part": name,
                "n": len(seconds),
                "p50_ms": 1000 * statistics.median(seconds),
                "goal_ms": switch.goal,
                "cpu_ms": cost,
            }
        )
    return rows


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--times", type=int, default=15, help="repetitions of each action")
    arguments = parser.parse_args()
    with server("benchmarks/heads_page.py", "_stcore/health") as served, chromium() as browser:
        rows = [painted(browser, served, sheet, arguments.times) for sheet in SHEETS]
    with server() as served:
        train(served)
        rows += asyncio.run(switched(served, max(1, arguments.times // 5)))
    table(rows)
    last_line("heads", rows, arguments)


if __name__ == "__main__":
    main()
