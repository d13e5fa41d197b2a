"""Time from clicking Train to the first point of the curve, with a cold and with a warm worker.

Several times, on a fresh server with an empty `S2S_HOME`: a session without a browser (benchmarks/session.py) opens
/train, which starts the worker, and clicks the button as soon as the page is complete (cold). When that run is done, it
opens the page and clicks again (warm). Seconds run from sending the click to the first `train` line of the run's
metrics.jsonl, and to the end of the first refresh of the page that started after it.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from typing import Any

from benchmarks.report import last_line, options, table
from benchmarks.serving import Server, server
from benchmarks.session import Session
from s2s.config import asker
from s2s.links import share
from s2s.processes import queue
from s2s.runs import RunFolder, runs_folder

# goals in seconds, on an idle machine
COLD = 6.0
WARM = 1.5
PATIENCE = 120.0
SOURCE = {"source": "builtin:mini-en-fr", "preset": "mini-t5"}
BETWEEN = 3.0  # seconds from the end of a run to the next visit


async def press(session: Session, name: str) -> dict[str, float]:
    """Open the page, click, and watch until the run is done."""
    await session.open("train", {"set": share.pack(SOURCE)})
    await session.set("train name", name)
    pressed = time.time()
    answered = await session.set("train", True)
    written = None
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        await asyncio.sleep(min(session.polls.values(), default=1.0))
        polled_at = time.time()
        for fragment in list(session.polls):
            await session.poll(fragment)
        job = next(job for job in queue.jobs(asker.LOCAL) if job.spec["name"] == name)
        written = written or first_step(job.run)
        if written and polled_at >= written:
            seen_at = time.time()
            while (
                next(other for other in queue.jobs(asker.LOCAL) if other.id == job.id).finished
                is None
            ):
                await asyncio.sleep(0.2)
            return {"answered": answered, "written": written - pressed, "seen": seen_at - pressed}
    raise SystemExit(f"{name} had no first point within {PATIENCE:.0f} s.")


def first_step(run: str) -> float | None:
    """When the first training step was logged, in seconds since the epoch; None before."""
    return next(
        (
            line["time"]
            for line in RunFolder(runs_folder() / run).lines("metrics")
            if line["kind"] == "train"
        ),
        None,
    )


async def both(served: Server) -> list[dict[str, Any]]:
    """A row with a cold worker, then one with a warm worker."""
    session = Session(served.url)
    rows = []
    await session.connect()
    for name in ("cold", "warm"):
        rows.append({"worker": name} | await press(session, name))
        await asyncio.sleep(BETWEEN)
    if session.exceptions:
        raise SystemExit("\n".join(session.exceptions))
    return rows


def main() -> None:
    """Measure on several fresh servers, one after the other."""
    parser = options(__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for _ in range(arguments.rounds):
        with server() as served:
            os.environ["S2S_HOME"] = str(served.home)
            rows += asyncio.run(both(served))
    table(rows)
    median = {
        name: statistics.median(row["written"] for row in rows if row["worker"] == name)
        for name in ("cold", "warm")
    }
    print(
        f"\nmedians: first point after {median['cold']:.1f} s cold (goal < {COLD:g}), {median['warm']:.1f} s warm"
        f" (goal < {WARM:g})"
    )
    last_line(
        "press",
        {"rounds": arguments.rounds, "rows": rows, "median": median, "load": os.getloadavg()[0]},
        arguments,
    )


if __name__ == "__main__":
    main()
