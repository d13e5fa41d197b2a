"""A hosted server under load: 50 people, each in a workspace; 200 who come at once; a server that is killed.

`crowd`: 50 sessions without browsers (benchmarks/session.py) look at attention, decoding and positions while a run
trains, with 2.5 to 7.5 s between two actions; response times, errors, and the server's memory per session, beyond what
it has when one visitor has opened every page. `rush`: 200 sessions open a page at the same moment, then the server gets
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
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from websockets import ConnectionClosed

from benchmarks.app import Visitors, await_training, latency_rows, server_cpu, visit
from benchmarks.report import last_line, options, table
from benchmarks.serving import Server, kill, processes, pss, server, start
from benchmarks.session import Session
from s2s.runs import RunFolder

PAGES = ("attention", "compare", "positions", "")
LONG = {"train.steps": 50_000}


def server_megabytes(served: Server) -> float:
    """What the server's process takes."""
    pid = next(pid for pid, role in processes(served.home).items() if role == "server")
    return pss(pid)


async def crowd(served: Server, people: int, seconds: float) -> tuple[Visitors, list[float]]:
    """They browse; the server's memory every five seconds."""
    visitors = Visitors("", PAGES)
    end = time.monotonic() + seconds
    pages = itertools.islice(itertools.cycle(PAGES), people)
    coming = [asyncio.create_task(visit(served.url, visitors, page, end)) for page in pages]
    sizes = []
    while time.monotonic() < end:
        await asyncio.sleep(5.0)
        sizes.append(server_megabytes(served))
    await asyncio.gather(*coming)
    return visitors, sizes


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
    alone = server_megabytes(served)
    before = server_cpu(served)
    visitors, sizes = asyncio.run(crowd(served, people, seconds))
    cpu = server_cpu(served) - before
    rows = [*latency_rows(f"{people} people", visitors)]
    table(rows)
    pages = next(row for row in rows if row["page"] == "all")
    quarter = max(1, len(sizes) // 4)
    found = {
        "people": people,
        "p50 s": pages["p50 s"],
        "p95 s": pages["p95 s"],
        "server alone MB": alone,
        "first quarter MB": statistics.mean(sizes[:quarter]),
        "last quarter MB": statistics.mean(sizes[-quarter:]),
        "per session MB": (statistics.mean(sizes[-quarter:]) - alone) / people,
        "server's share of a core": cpu / seconds,
        "load": os.getloadavg()[0],
        "errors": len(visitors.wrong),
    }
    table([found])
    print("\n".join(sorted(set(visitors.wrong))))
    return found | {"seconds": {name: sorted(each) for name, each in visitors.waited.items()}}


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
    parser.add_argument("--only", choices=("crowd", "rush"))
    parser.add_argument("--people", type=int, default=50, help="of the crowd")
    parser.add_argument("--seconds", type=float, default=120.0, help="of the crowd")
    parser.add_argument("--rush", type=int, default=200, help="sessions at once")
    arguments = parser.parse_args()
    results: dict[str, Any] = {}
    with server(S2S_HOSTED="1", S2S_SECRET=secrets.token_hex(16)) as served:
        run = served.submit("builtin:en-fr", "small", LONG)
        await_training(served, run)
        if arguments.only != "rush":
            results["crowd"] = measure_crowd(served, arguments.people, arguments.seconds)
        if arguments.only != "crowd":
            results["rush"] = measure_rush(served, arguments.rush, run)
    last_line("hosted", results, arguments)


if __name__ == "__main__":
    main()
