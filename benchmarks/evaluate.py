"""An evaluation of 1,000 sentences with five strategies, through queue and worker: its first numbers, and whether the time left holds.

An empty `S2S_HOME`. The first evaluation finds the worker that was started with it (cold), the others a warm one. Seconds run from the
order to the first scores that lie in the folder, and to the end. Ten times a second the time left that the page would show is noted; it
is set beside what was truly left, from the second tenth of the work on.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from benchmarks.report import last_line, table
from s2s.jobs import EvaluationRequest, evaluation_service
from s2s.runs import Sentences, System, evaluations

RUN = "demo-en-fr"
SPLIT = "random"
N = 1000
STRATEGIES = ("greedy", "beam", "diverse_beam", "sample", "mbr")
FIRST = 10.0  # goal, seconds
HOLDS = 0.5  # goal: the median of |shown - true| / true
# seconds
LOOK = 0.1
PATIENCE = 900.0
BEGUN = 0.1  # of the sentences: before, the pace is that of one turn


def measured(name: str) -> dict[str, Any]:
    """Order one and watch it."""
    systems = tuple(System(strategy, RUN, 0, strategy) for strategy in STRATEGIES)
    ordered = time.monotonic()
    evaluation = evaluation_service.submit(
        EvaluationRequest(systems, Sentences(name, split=SPLIT, run=RUN, n=N), run=RUN)
    )
    first = None
    shown = list[tuple[float, float]]()
    place = evaluations.folder(evaluation)
    while (spent := time.monotonic() - ordered) < PATIENCE:
        stands = evaluation_service.progress(evaluation)
        if first is None and place.scores().get("n"):
            first = spent
        if stands.left is not None and BEGUN * N <= stands.done < N:
            shown.append((spent, stands.left))
        if not stands.is_live and stands.state != "interrupted":
            break
        time.sleep(LOOK)
    if stands.state != "done":
        raise SystemExit(f"{name} ended as {stands.state}: {stands.error}")
    off = [abs(left - (spent - at)) / max(1.0, spent - at) for at, left in shown]
    return {
        "worker": name,
        "first": first,
        "seconds": spent,
        "off": statistics.median(off) if off else None,
        "looks": len(off),
    }


def main() -> None:
    """One cold, some warm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="s2s-evaluate-") as home:
        os.environ["S2S_HOME"] = home
        with subprocess.Popen(
            [sys.executable, "-m", "s2s", "worker"], stdout=subprocess.DEVNULL
        ) as process:
            try:
                rows = [
                    measured("cold"),
                    *(measured(f"warm {number + 1}") for number in range(rounds)),
                ]
            finally:
                process.terminate()
    table(rows)
    warm = statistics.median(row["first"] for row in rows[1:])
    off = statistics.median(row["off"] for row in rows if row["off"] is not None)
    print(
        f"\nfirst numbers after {warm:.1f} s, warm (goal < {FIRST:g}); time left off by {off:.0%} (goal < {HOLDS:.0%}), medians"
    )
    last_line("evaluate", {"rows": rows, "first": warm, "off": off})


if __name__ == "__main__":
    main()
