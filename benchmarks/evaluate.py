"""An evaluation of 1,000 sentences with five strategies, by queue and worker: time to the first scores, and the time
left.

It uses an empty `S2S_HOME`. The first evaluation has a worker that is just starting (cold), the others a warm one.
Seconds run from submission to the first scores in the folder, and to the end. Ten times per second, the time left that
the page would show is recorded; it is compared with the actual time left, after the first tenth of the work.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from benchmarks.report import last_line, options, table
from s2s.jobs import EvaluationRequest, evaluation_service
from s2s.runs import Sentences, System, evaluations

RUN = "demo-en-fr"
SPLIT = "random"
N = 1000
STRATEGIES = ("greedy", "beam", "diverse_beam", "sample", "mbr")
MAX_FIRST = 10.0  # goal, seconds
MAX_ERROR = 0.5  # goal: the median of |shown - actual| / actual
# seconds
INTERVAL = 0.1
PATIENCE = 900.0
STARTED = 0.1  # of the sentences: before that, the speed is known from one batch only


def measured(name: str) -> dict[str, Any]:
    """Submit one evaluation and watch it."""
    systems = tuple(System(strategy, RUN, 0, strategy) for strategy in STRATEGIES)
    submitted = time.monotonic()
    evaluation = evaluation_service.submit(
        EvaluationRequest(systems, Sentences(name, split=SPLIT, run=RUN, n=N), run=RUN)
    )
    first = None
    shown = list[tuple[float, float]]()
    folder = evaluations.folder(evaluation)
    while (spent := time.monotonic() - submitted) < PATIENCE:
        progress = evaluation_service.progress(evaluation)
        if first is None and folder.scores().get("n"):
            first = spent
        if progress.left is not None and STARTED * N <= progress.done < N:
            shown.append((spent, progress.left))
        if not progress.is_live and progress.state != "interrupted":
            break
        time.sleep(INTERVAL)
    if progress.state != "done":
        raise SystemExit(f"{name} ended as {progress.state}: {progress.error}")
    off = [abs(left - (spent - at)) / max(1.0, spent - at) for at, left in shown]
    return {
        "worker": name,
        "first": first,
        "seconds": spent,
        "off": statistics.median(off) if off else None,
        "looks": len(off),
    }


def main() -> None:
    """One evaluation with a cold worker, some with a warm one."""
    parser = options(__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="s2s-evaluate-") as home:
        os.environ["S2S_HOME"] = home
        with subprocess.Popen(
            [sys.executable, "-m", "s2s", "worker"], stdout=subprocess.DEVNULL
        ) as process:
            try:
                rows = [
                    measured("cold"),
                    *(measured(f"warm {number + 1}") for number in range(arguments.rounds)),
                ]
            finally:
                process.terminate()
    table(rows)
    warm = statistics.median(row["first"] for row in rows[1:])
    off = statistics.median(row["off"] for row in rows if row["off"] is not None)
    print(
        f"\nmedians: first scores after {warm:.1f} s with a warm worker (goal < {MAX_FIRST:g}); time left off by"
        f" {off:.0%} (goal < {MAX_ERROR:.0%})"
    )
    last_line("evaluate", {"rows": rows, "first": warm, "off": off}, arguments)


if __name__ == "__main__":
    main()
