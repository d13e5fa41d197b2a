"""Roles and importance of the demo's heads as a visitor measures them, and how the page answers meanwhile.

On a fresh server with an empty `S2S_HOME`: a session without a browser (benchmarks/session.py) opens /heads on the
split `random`, of which nothing ships, and clicks the button (cold: a worker starts), then the same for another number
of sentences (warm). Seconds run from sending the click to the result in its file. Meanwhile a second session goes back
and forth between views of the page every THINK seconds; its response times run to `script_finished`.
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
from s2s.links import share

# By view: its goal in seconds, and how many sentences it concerns; the first measurement takes one less.
GOALS = {"roles": (10.0, 500), "importance": (30.0, 200)}
ANSWER = 0.3  # seconds: the goal of a response meanwhile
THINK = 1.0
PATIENCE = 240.0
VISITED = ("roles", "alignment", "patching")  # whose numbers ship, or are computed at once


async def measure(served: Server, view: str, n: int) -> dict[str, Any]:
    """Click, and watch until the numbers are there."""
    clicking, visiting = Session(served.url), Session(served.url)
    for session in (clicking, visiting):
        await session.connect()
    place = {"run": "demo-en-fr", "set": share.pack({"view": view, "test": "random", "n": str(n)})}
    await clicking.open("heads", place)
    await visiting.open("heads", {"run": "demo-en-fr"})
    (button,) = (key for key in clicking.widgets if key.startswith("measure "))
    result = served.home / "measurements" / button.removeprefix("measure ") / "result.json"
    began = time.time()
    await clicking.set(button, True)
    answers = []
    while not result.exists():
        if time.time() - began > PATIENCE:
            raise SystemExit(f"The {view} were not measured within {PATIENCE:.0f} s.")
        if len(answers) < (time.time() - began) / THINK:
            visited = share.pack({"view": VISITED[len(answers) % len(VISITED)]})
            answers.append(await visiting.open("heads", {"run": "demo-en-fr", "set": visited}))
        await asyncio.sleep(0.05)
    seconds = result.stat().st_mtime - began
    if wrong := clicking.exceptions + visiting.exceptions:
        raise SystemExit("\n".join(wrong))
    return {"view": view, "sentences": n, "seconds": seconds, "answers": answers}


async def measured(served: Server) -> list[dict[str, Any]]:
    """Each view, with a cold worker first."""
    rows = []
    for view, (_, n) in GOALS.items():
        rows.append({"worker": "cold" if not rows else "warm"} | await measure(served, view, n - 1))
        rows.append({"worker": "warm"} | await measure(served, view, n))
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
            rows += asyncio.run(measured(served))
    answers = [seconds for row in rows for seconds in row.pop("answers")]
    table(rows)
    warm = {
        view: statistics.median(
            row["seconds"] for row in rows if (row["view"], row["sentences"]) == (view, n)
        )
        for view, (_, n) in GOALS.items()
    }
    slowest = statistics.quantiles(answers, n=20)[-1]
    for view, (goal, n) in GOALS.items():
        print(f"{view} of 24 heads over {n} sentences: {warm[view]:.1f} s (goal < {goal:g})")
    print(
        f"the page meanwhile: median {statistics.median(answers):.2f} s, p95 {slowest:.2f} s (goal < {ANSWER:g})"
    )
    results = {
        "rounds": arguments.rounds,
        "rows": rows,
        "warm": warm,
        "median_answer": statistics.median(answers),
        "p95_answer": slowest,
        "load": os.getloadavg()[0],
    }
    last_line("head_jobs", results, arguments)


if __name__ == "__main__":
    main()
