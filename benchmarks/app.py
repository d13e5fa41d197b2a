"""The dashboard under load: memory of all its processes and response times for 20 visitors, with and without training.

Each case has its own server on an empty `S2S_HOME`: without training, then training with the defaults on the built-in
dataset and on 29,000 real pairs. First memory: one session is open on each page, and for a minute the proportional set
size (/proc/PID/smaps_rollup) of server, worker and trainer is read every second. Then latency: 20 sessions without
browsers (benchmarks/session.py) visit the pages for another minute. Each waits 2.5 to 7.5 s between two actions:
another page, another layer, head, strategy or setting, another sentence (always a new one, so that no cache answers).
Seconds run from sending the request to `script_finished`. Requests that a page makes by itself, such as a live run's
panel once per second, have their own row and are not in `all`. Sessions and server share the machine; the server's CPU
seconds distinguish a slow server from a busy machine. Memory is in 10**6 bytes.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from websockets import ConnectionClosed

from benchmarks.report import last_line, options, table
from benchmarks.serving import DATA, Server, processes, pss, server
from benchmarks.session import Session
from s2s.data import load_pairs_for_training
from s2s.ui.shell.pages import PAGES

MOST_MEGABYTES = 1500
MOST_SECONDS = 0.4  # of the 95th percentile
THINK = 5.0
PATIENCE = 180.0  # seconds to wait for a run's first step
POLL = "by itself"
REFUSED = "Training needs about"  # Train says so of a preset that is too large for the machine
OF_HOSTED = ("steps", "positions")  # pages that only benchmarks/hosted.py visits
Log = defaultdict[str, list[float]]


@cache
def sentences() -> tuple[str, ...]:
    """20,000 sentences that the demo runs know, all different."""
    pairs = load_pairs_for_training("builtin:en-fr", None, seed=1).train.pairs
    return tuple(pair.src for pair in pairs)


class Visitors:
    """What the visitors share: unused sentences, the live run, response times by page, and errors."""

    def __init__(self, live: str, pages: Sequence[str] = ()) -> None:
        self.live = live
        self.pages = [*pages] or [page for page in ACTIONS if page not in OF_HOSTED]
        self.dice = random.Random(1)
        self.sentences = iter(self.dice.sample(sentences(), len(sentences())))
        self.waited: Log = defaultdict(list)
        self.wrong: list[str] = []

    def address(self, page: str) -> Mapping[str, str]:
        """Query parameters: pages that open a model show the demo run, the others the live run."""
        run = next(row.run for row in PAGES if row.url_path == page)
        return (
            {"run": self.live}
            if self.live and run == "any"
            else {"run": "demo-en-fr"}
            if run
            else {}
        )

    def learn(self, session: Session) -> None:
        """Store the live run's label in the run picker, `name · id`, which links within the app use."""
        if "run" in session.widgets:
            self.live = next(
                (
                    label
                    for label in session.options("run")
                    if self.live and label.endswith(self.live)
                ),
                self.live,
            )


# The widgets that visitors press on a page, by its path.
ACTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "": ("layer", "head", "src"),
        "data": ("builtin",),
        "train": ("set train.steps", "preset"),
        "runs": ("run",),
        "compare": ("c1 strategy", "src"),
        "steps": ("steps view", "src"),
        "attention": ("kind", "layer", "head", "src"),
        "positions": ("positions encoding", "positions view"),
    }
)
NOT_ALWAYS = frozenset({"head", "positions encoding", "c1 strategy"})  # drawn in some views only
TITLES = {row.url_path: row.title for row in PAGES}


async def turn(session: Session, visitors: Visitors, page: str) -> None:
    """Open another page."""
    visitors.waited[TITLES[page]].append(await session.open(page, visitors.address(page)))
    visitors.learn(session)


async def press(session: Session, visitors: Visitors) -> float:
    """Change one of the page's widgets; returns seconds."""
    drawn = [
        key for key in ACTIONS[session.page] if key in session.widgets or key not in NOT_ALWAYS
    ]
    key = visitors.dice.choice(drawn)
    value: str | float
    if key == "src":
        value = next(visitors.sentences)
    elif key == "set train.steps":
        value = float(visitors.dice.randrange(100, 3000, 100))
    else:
        value = visitors.dice.choice(session.options(key))
    return await session.set(key, value)


async def act(session: Session, visitors: Visitors) -> None:
    """An action on the page, or with a probability of 1/4 another page."""
    if visitors.dice.random() < 0.25:
        await turn(session, visitors, visitors.dice.choice(visitors.pages))
        return
    seconds = await press(session, visitors)
    visitors.waited[TITLES[session.page]].append(seconds)


async def think(session: Session, visitors: Visitors, seconds: float) -> None:
    """Wait, while the page's own requests go on."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        await asyncio.sleep(min([left, *session.polls.values()]))
        for fragment in list(session.polls):
            if time.monotonic() < end:
                visitors.waited[POLL].append(await session.poll(fragment))


async def visit(url: str, visitors: Visitors, page: str, end: float) -> None:
    """One visitor, until `end`; one who misses a widget opens another page."""
    session = Session(url)
    try:
        await session.connect()
        await asyncio.sleep(visitors.dice.random() * THINK)
        await turn(session, visitors, page)
        while time.monotonic() < end:
            await think(session, visitors, THINK * (0.5 + visitors.dice.random()))
            try:
                await act(session, visitors)
            except KeyError as missing:
                visitors.wrong.append(f"{TITLES[session.page]}: no widget {missing}")
                await turn(session, visitors, visitors.dice.choice(visitors.pages))
        await session.socket.close()
    except (OSError, TimeoutError, ConnectionClosed) as error:
        visitors.wrong.append(f"{TITLES[session.page]}: {type(error).__name__} {error}")
    visitors.wrong += session.exceptions
    visitors.wrong += [line for line in session.complaints if REFUSED not in line]


async def latency(url: str, live: str, count: int, seconds: float) -> Visitors:
    """This many visitors for this many seconds, spread over the pages."""
    visitors = Visitors(live)
    pages = visitors.pages
    end = time.monotonic() + seconds
    await asyncio.gather(*(visit(url, visitors, pages[i % len(pages)], end) for i in range(count)))
    return visitors


async def memory(served: Server, live: str, seconds: float) -> list[dict[str, float]]:
    """Megabytes by role and their sum, every second, while one session is open on each page."""
    visitors = Visitors(live)
    sessions = [Session(served.url) for _ in PAGES]
    samples = []
    for session, page in zip(sessions, PAGES, strict=True):
        await session.connect()
        await session.open(page.url_path, visitors.address(page.url_path))
    open_pages = [
        asyncio.create_task(think(session, visitors, seconds + 5)) for session in sessions
    ]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        samples.append(measured(served))
        await asyncio.sleep(1)
    for task, session in zip(open_pages, sessions, strict=True):
        task.cancel()
        await session.socket.close()
    return samples


def measured(served: Server) -> dict[str, float]:
    """Megabytes by role and their sum, now."""
    sizes: dict[str, float] = defaultdict(float)
    for pid, role in processes(served.home).items():
        with suppress(OSError):
            sizes[role] += pss(pid)
    return {**sizes, "sum": sum(sizes.values())}


def server_cpu(served: Server) -> float:
    """CPU seconds of the server so far."""
    pid = next(pid for pid, role in processes(served.home).items() if role == "server")
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def await_training(served: Server, run: str) -> None:
    """Wait until its first step is logged. Raises SystemExit if that takes too long."""
    end = time.monotonic() + PATIENCE
    while not (served.home / "runs" / run / "metrics.jsonl").is_file():
        if time.monotonic() > end:
            raise SystemExit(f"The run did not start within {PATIENCE:.0f} s.")
        time.sleep(0.2)


def memory_rows(case: str, samples: list[dict[str, float]]) -> Iterator[dict[str, Any]]:
    """One row per role."""
    for role in ("server", "worker", "fork server", "trainer", "other", "sum"):
        sizes = [sample.get(role, 0.0) for sample in samples]
        if any(sizes):
            row = {
                "case": case,
                "process": role,
                "median MB": statistics.median(sizes),
                "max MB": max(sizes),
            }
            yield row | {"target": f"< {MOST_MEGABYTES:,}" if role == "sum" else ""}


def latency_rows(case: str, visitors: Visitors) -> Iterator[dict[str, Any]]:
    """One row per page, then all pages, then the pages' own requests."""
    pages = {title: visitors.waited[title] for title in TITLES.values()}
    for name, waited in {
        **pages,
        "all": [*chain(*pages.values())],
        POLL: visitors.waited[POLL],
    }.items():
        if waited:
            waited.sort()
            p95 = waited[min(len(waited) - 1, int(0.95 * len(waited)))]
            row = {
                "case": case,
                "page": name,
                "reruns": len(waited),
                "p50 s": statistics.median(waited),
                "p95 s": p95,
                "max s": waited[-1],
            }
            yield row | {"target": f"p95 < {MOST_SECONDS}" if name == "all" else ""}


def measure(case: str, source: str, sessions: int, seconds: float) -> dict[str, list[Any]]:
    """One server, with the default recipe training on that source, or without training."""
    with server() as served:
        spec = (
            served.store(*(DATA / name for name in source.split(","))) if "," in source else source
        )
        live = served.submit(spec, "small") if spec else ""
        if live:
            await_training(served, live)
        sizes = asyncio.run(memory(served, live, seconds))
        before = server_cpu(served)
        visitors = asyncio.run(latency(served.url, live, sessions, seconds))
        cpu = (server_cpu(served) - before) / sum(map(len, visitors.waited.values()))
        after = measured(served) | {"server cpu s a rerun": cpu, "load": os.getloadavg()[0]}
        if live and "trainer" not in after:
            visitors.wrong.append("training ended before the measurement did")
    rows = [*latency_rows(case, visitors)]
    return {
        "memory": [*memory_rows(case, sizes)],
        "latency": rows,
        "wrong": visitors.wrong,
        "afterwards": [{"case": case, **after}],
    }


HEADLINE = "training on builtin:en-fr"
CASES = {
    "no training": "",
    HEADLINE: "builtin:en-fr",
    "training on multi30k": "multi30k/train.en,multi30k/train.de",
}


def headline(results: Mapping[str, Mapping[str, Any]]) -> dict[str, float] | None:
    """What README says of the dashboard during training; None if that case was not measured."""
    if HEADLINE not in results:
        return None
    found = results[HEADLINE]
    pages = next(row for row in found["latency"] if row["page"] == "all")
    together = next(row for row in found["memory"] if row["process"] == "sum")
    return {"p50": pages["p50 s"], "p95": pages["p95 s"], "MB": together["max MB"]}


def main() -> None:
    """Run every case whose data is available."""
    parser = options(__doc__)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="duration of each of the two measurements"
    )
    parser.add_argument(
        "--only",
        default="",
        help="only cases whose names start with this, spaces as -",
    )
    arguments = parser.parse_args()
    results: dict[str, Any] = {}
    for case, source in CASES.items():
        if case.replace(" ", "-").startswith(arguments.only) and (
            "," not in source or (DATA / source.split(",")[0]).is_file()
        ):
            results[case] = measure(case, source, arguments.sessions, arguments.seconds)
    for kind in ("memory", "latency", "afterwards"):
        table([row for found in results.values() for row in found[kind]])
        print()
    for case, found in results.items():
        print(f"{case}: {len(found['wrong'])} errors")
        print("\n".join(f"  {line}" for line in sorted(set(found["wrong"]))))
    last_line(
        "app",
        {"sessions": arguments.sessions, "cases": results, "training": headline(results)},
        arguments,
    )


if __name__ == "__main__":
    main()
