"""A hosted server under load: 50 people, each in a workspace; 200 who come at once; a server that is killed.

`crowd`: 50 sessions without browsers (benchmarks/session.py) look at attention, decoding and positions while a run
trains, with 2.5 to 7.5 s between two actions; response times, errors, and the server's memory per session, beyond what
it has when one visitor has opened every page; `--seconds 3600` shows whether it grows. Seconds depend on what else the
machine does; the server's CPU milliseconds per answer hardly do. `pages`: the same milliseconds by page, one visitor
and nothing else. `rush`: 200 sessions open a page at the same moment, then the server gets
SIGKILL and is started again; every session connects again with its cookie, and the run goes on. Sessions and server
share the machine. Memory is proportional set size in 10**6 bytes.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import secrets
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from websockets import ConnectionClosed

from benchmarks.app import (
    TITLES,
    Visitors,
    await_training,
    latency_rows,
    press,
    server_cpu,
    visit,
)
from benchmarks.report import last_line, options, table
from benchmarks.serving import Server, kill, processes, server, sizes, start
from benchmarks.session import Session
from s2s.runs import RunFolder

PAGES = ("attention", "compare", "positions", "")
LONG = {"train.steps": 1_000_000}
NO_LIMITS = {"S2S_MAX_STEPS": "1_000_000", "S2S_MAX_MINUTES": "600"}  # of the run
WARM = 600.0  # seconds until caches are full
CPU = "server CPU ms per answer"


def memory(served: Server) -> dict[str, float]:
    """Megabytes of the server's process."""
    return sizes(next(pid for pid, role in processes(served.home).items() if role == "server"))


async def crowd(
    served: Server, people: int, seconds: float
) -> tuple[Visitors, list[dict[str, float]]]:
    """They browse; the server's memory every 5 s, in a long measurement every 30 s, with `at` in seconds."""
    visitors = Visitors("", PAGES)
    start = time.monotonic()
    pages = itertools.islice(itertools.cycle(PAGES), people)
    coming = [
        asyncio.create_task(visit(served.url, visitors, page, start + seconds)) for page in pages
    ]
    series = []
    while (at := time.monotonic() - start) < seconds:
        series.append({"at": at, **memory(served)})
        await asyncio.sleep(max(5.0, min(30.0, seconds / 100)))
    await asyncio.gather(*coming)
    return visitors, series


def growth(series: Sequence[Mapping[str, float]], kind: str) -> dict[str, Any]:
    """How memory changes once caches are full: after ten minutes, in a short measurement after a quarter."""
    warm = [row for row in series if row["at"] >= min(WARM, series[-1]["at"] / 4)]
    slope, _ = statistics.linear_regression(
        [row["at"] for row in warm], [row[kind] for row in warm]
    )
    return {
        "memory": kind,
        "from minute": warm[0]["at"] / 60,
        "to minute": warm[-1]["at"] / 60,
        "first MB": warm[0][kind],
        "last MB": warm[-1][kind],
        "MB per hour": 3600 * slope,
        "% per hour": 100 * 3600 * slope / warm[0][kind],
    }


async def page_costs(served: Server, answers: int) -> tuple[list[dict[str, Any]], list[str]]:
    """What one visitor's answers cost the server, by page; and errors."""
    visitors = Visitors("")
    session = Session(served.url)
    await session.connect()
    rows = []
    for page in (*PAGES, "steps"):
        await session.open(page, visitors.address(page))
        before = server_cpu(served)
        for _ in range(answers):
            await press(session, visitors)
        cpu = server_cpu(served) - before
        rows.append({"page": TITLES[page], "answers": answers, CPU: 1000 * cpu / answers})
    await session.socket.close()
    return rows, session.exceptions + session.complaints


async def first_visit(served: Server) -> None:
    """One visitor opens every page, so that models and scripts are loaded."""
    visitors = Visitors("")
    session = Session(served.url)
    await session.connect()
    for page in PAGES:
        await session.open(page, visitors.address(page))
    await session.socket.close()


async def rush(served: Server, people: int, again: Callable[[], Awaitable[None]]) -> dict[str, Any]:
    """All open a page at once; the server dies and comes back; all connect again."""
    sessions = [Session(served.url) for _ in range(people)]
    wrong: list[str] = []

    async def enter(session: Session) -> None:
        for _ in range(60):
            with suppress(OSError, ConnectionClosed, TimeoutError):
                await session.connect()
                await session.open("attention", {"run": "demo-en-fr"})
                return
            await asyncio.sleep(1.0)
        wrong.append("a session was never served")

    began = time.monotonic()
    await asyncio.gather(*map(enter, sessions))
    opened = time.monotonic() - began
    keys = [session.cookies for session in sessions]
    await again()
    began = time.monotonic()
    await asyncio.gather(*map(enter, sessions))
    came_back = time.monotonic() - began
    if len(set(keys)) != people or keys != [session.cookies for session in sessions]:
        wrong.append("not every session has kept a workspace of its own")
    for session in sessions:
        wrong += session.exceptions + session.complaints
        await session.socket.close()
    return {"people": people, "all served s": opened, "all back s": came_back, "wrong": wrong}


def measure_crowd(served: Server, people: int, seconds: float) -> dict[str, Any]:
    """Response times and memory."""
    asyncio.run(first_visit(served))
    alone = memory(served)["pss"]
    before = server_cpu(served)
    visitors, series = asyncio.run(crowd(served, people, seconds))
    cpu = server_cpu(served) - before
    rows = [*latency_rows(f"{people} people", visitors)]
    table(rows)
    pages = next(row for row in rows if row["page"] == "all")
    last = statistics.mean(row["pss"] for row in series[-max(1, len(series) // 4) :])
    found = {
        "people": people,
        "p50 s": pages["p50 s"],
        "p95 s": pages["p95 s"],
        "server alone MB": alone,
        "last quarter MB": last,
        "per session MB": (last - alone) / people,
        "server's share of a core": cpu / seconds,
        CPU: 1000 * cpu / sum(map(len, visitors.waited.values())),
        "load": os.getloadavg()[0],
        "errors": len(visitors.wrong),
    }
    table([found])
    grown = [growth(series, kind) for kind in ("pss", "uss", "anonymous")]
    table(grown)
    print("\n".join(sorted(set(visitors.wrong))))
    waited = {name: sorted(each) for name, each in visitors.waited.items()}
    return found | {"growth": grown, "memory": series, "seconds": waited}


def measure_rush(served: Server, people: int, run: str) -> dict[str, Any]:
    """Times, and whether the run has lost nothing."""

    async def again() -> None:
        kill(served)
        await asyncio.to_thread(start, served)

    folder = RunFolder(served.home / "runs" / run)
    before = len(list(folder.lines("metrics")))
    found = asyncio.run(rush(served, people, again))
    steps = [line["step"] for line in folder.lines("metrics") if line["kind"] == "train"]
    if len(steps) <= before or steps != sorted(set(steps)):
        found["wrong"].append("the run did not go on, or lost a step")
    table([{name: value for name, value in found.items() if name != "wrong"}])
    print("\n".join(sorted(set(found["wrong"]))) or "no errors")
    return found


def main() -> None:
    """Run what is asked for."""
    parser = options(__doc__)
    parser.add_argument("--only", choices=("pages", "crowd", "rush"))
    parser.add_argument("--people", type=int, default=50, help="of the crowd")
    parser.add_argument("--seconds", type=float, default=120.0, help="of the crowd")
    parser.add_argument("--answers", type=int, default=60, help="of each of the pages")
    parser.add_argument("--rush", type=int, default=200, help="sessions at once")
    arguments = parser.parse_args()
    results: dict[str, Any] = {}
    only = arguments.only
    secret = secrets.token_hex(16)
    with server(S2S_HOSTED="1", S2S_SECRET=secret, **NO_LIMITS) as served:
        if only in (None, "pages"):
            results["pages"], wrong = asyncio.run(page_costs(served, arguments.answers))
            table(results["pages"])
            print("\n".join(sorted(set(wrong))))
        if only != "pages":
            run = served.submit("builtin:en-fr", "small", LONG)
            await_training(served, run)
        if only in (None, "crowd"):
            results["crowd"] = measure_crowd(served, arguments.people, arguments.seconds)
        if only in (None, "rush"):
            results["rush"] = measure_rush(served, arguments.rush, run)
    last_line("hosted", results, arguments)


if __name__ == "__main__":
    main()
