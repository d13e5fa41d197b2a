"""Eight phones open one shared link at the same moment on a server that has shown nothing yet.

For a link to Attention and for one to Compare, in turn, each on a server of its own: seconds until the first and until
the last phone has its whole page (`script_finished`; phones are websocket sessions, which draw nothing and load no
scripts), and the CPU seconds of the server meanwhile. A ninth phone then shows what a warm server needs.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import psutil

from benchmarks.report import last_line, options, table
from benchmarks.serving import Server, processes, server
from benchmarks.session import Session

GOAL = 8.0  # seconds until the last phone has its page
TEXT = "the cat who chased the mouse was black"
LINKS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "attention": {"v": "1", "run": "demo-en-fr", "src": TEXT, "kind": "cross", "layer": "2"},
        "compare": {
            "v": "1",
            "run": "demo-en-fr",
            "src": TEXT,
            "c1": "demo-en-fr@1500!beam!num_beams:5",
            "c2": "demo-en-fr@1500!greedy",
            "c3": "demo-en-fr@1500!sample!temperature:0.8",
            "c4": "demo-en-fr@1500!mbr",
        },
    }
)


async def opened_at_once(served: Server, page: str, phones: int) -> list[float]:
    """Seconds until each phone has its page, in the order in which they had it."""
    sessions = [Session(served.url) for _ in range(phones)]
    for session in sessions:
        await session.connect()
    seconds = await asyncio.gather(*(session.open(page, LINKS[page]) for session in sessions))
    for session in sessions:
        await session.socket.close()
        if wrong := session.exceptions + session.complaints:
            raise SystemExit("\n".join(wrong))
    return sorted(seconds)


def measure(page: str, phones: int) -> dict[str, Any]:
    """One server, all phones, and then one more."""
    with server() as served:
        (pid,) = (pid for pid, role in processes(served.home).items() if role == "server")
        before = cpu_seconds(pid)
        seconds = asyncio.run(opened_at_once(served, page, phones))
        spent = cpu_seconds(pid) - before
        time.sleep(1)
        (warm,) = asyncio.run(opened_at_once(served, page, 1))
    return {
        "link": page,
        "first s": seconds[0],
        "last s": seconds[-1],
        "goal": f"< {GOAL:g}",
        "server CPU s": spent,
        "one more s": warm,
        "load": os.getloadavg()[0],
    }


def cpu_seconds(pid: int) -> float:
    """Of the process itself, in user and kernel mode."""
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def main() -> None:
    """Measure every link."""
    parser = options(__doc__)
    parser.add_argument("--phones", type=int, default=8)
    arguments = parser.parse_args()
    rows = [measure(page, arguments.phones) for page in LINKS]
    table(rows)
    last_line("shared_link", rows, arguments)


if __name__ == "__main__":
    main()
