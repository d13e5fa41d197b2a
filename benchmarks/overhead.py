"""The cost of a run besides its updates: validation, samples, checkpoints and log lines; and the time of `--help`.

A run of `jobs.training`, as the queue starts it: the time between two events counts for the later one, apart from the
update's own time. Validations are closer together than in a real run and extrapolated to the default intervals, so a
few minutes are enough; the one before the first step, where the untrained model never ends a sentence, is counted once.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.report import last_line, options, table
from benchmarks.serving import DATA, ROOT
from s2s.config import PRESETS, Monitoring, Recipe, override
from s2s.jobs import training
from s2s.train import Event, Sample, Saved, Step, Validation

MOST_PERCENT = 5.0
MOST_SECONDS = 0.3  # of `--help`
LABELS: Mapping[type[Event], str] = MappingProxyType(
    {
        Validation: "validation, BLEU and chrF",
        Sample: "samples",
        Saved: "checkpoint and attention",
        Step: "log lines",
    }
)
Spent = dict[str, float]  # seconds


def run(recipe: Recipe, source: str, folder: Path) -> tuple[Spent, Spent, float]:
    """Seconds of each kind before the first step and after it, and those of the updates themselves."""
    first: defaultdict[str, float] = defaultdict(float)
    later: defaultdict[str, float] = defaultdict(float)
    updates = 0.0
    step = 0
    started = training.start(training.RunRequest(recipe, source), folder)
    before = time.perf_counter()
    for event in training.run(started):
        now = time.perf_counter()
        seconds = now - before
        before = now
        step = event.step
        if isinstance(event, Step):
            updates += event.seconds
            seconds -= event.seconds
        kind = LABELS.get(type(event), "the rest")
        (later if step else first)[kind] += seconds
    return dict(first), dict(later), updates


def shares(
    recipe: Recipe, measured: Recipe, spent: tuple[Spent, Spent, float]
) -> list[dict[str, Any]]:
    """The times of a whole run of the recipe, extrapolated from a shorter one with more frequent validation."""
    first, later, updates = spent
    steps = recipe.train.steps
    n_steps = measured.train.steps
    watch = recipe.train.watch
    closer = measured.train.watch
    per_step = updates / n_steps
    found: list[dict[str, Any]] = [{"what": "updates", "s each": per_step, "s": per_step * steps}]
    intervals = {LABELS[Saved]: (watch.save_every, closer.save_every), LABELS[Step]: (1, 1)}
    for kind in LABELS.values():
        every, measured_every = intervals.get(kind, (watch.validate_every, closer.validate_every))
        seconds = later.get(kind, 0.0) / (n_steps // measured_every)
        found.append(
            {
                "what": kind,
                "s each": seconds,
                "s": seconds * (steps // every) + first.get(kind, 0.0),
            }
        )
    total = sum(row["s"] for row in found)
    return [{**row, "% of the run": 100 * row["s"] / total} for row in found]


def start_up(times: int) -> tuple[float, list[str]]:
    """Median seconds of `python -m s2s --help`, and the modules of torch that it imports."""
    command = [sys.executable, "-m", "s2s", "--help"]
    seconds = []
    for _ in range(times):
        started = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - started)
    answer = subprocess.run(
        [sys.executable, "-X", "importtime", *command[1:]],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return statistics.median(seconds), [
        name for name in imported(answer.stderr.splitlines()) if name.split(".")[0] == "torch"
    ]


def imported(lines: Iterable[str]) -> list[str]:
    """The modules that `-X importtime` lists: `import time:  312 |  312 |   zipimport`."""
    return [
        line.rsplit("|", 1)[1].strip()
        for line in lines
        if line.startswith("import time:") and line.count("|") == 2
    ]


def main() -> None:
    """Measure a run and `--help`."""
    multi30k = ",".join(str(DATA / "multi30k" / name) for name in ("train.en", "train.de"))
    parser = options(__doc__)
    parser.add_argument("source", nargs="?", default=multi30k, help="SPEC; Multi30k by default")
    parser.add_argument("--steps", type=int, default=60, help="updates of the measured run")
    parser.add_argument(
        "--looks", type=int, default=3, help="validations and checkpoints of the measured run"
    )
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    defaults = {
        f"train.watch.{name}": getattr(Monitoring(), name)
        for name in ("validate_every", "save_every", "keep", "samples", "scores")
    }
    recipe = override(
        PRESETS["transformer-tiny"].recipe, {**defaults, "train.threads": arguments.threads}
    )
    every = arguments.steps // arguments.looks
    closer = {
        "train.steps": every * arguments.looks,
        "train.watch.validate_every": every,
        "train.watch.save_every": every,
    }
    measured = override(recipe, {**closer, "train.warmup_steps": every})
    helped, heavy = start_up(5)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["S2S_HOME"] = folder
        rows = shares(recipe, measured, run(measured, arguments.source, Path(folder) / "run"))
    table(rows)
    others = sum(row["% of the run"] for row in rows[1:])
    most_expensive = max(rows[1:], key=lambda row: row["s"])["what"]
    verdict = "" if others < MOST_PERCENT else f", too much; most of it: {most_expensive}"
    print(
        f"\nBesides updates: {others:.1f} % of the time of {recipe.train.steps:,} steps;"
        f" goal: under {MOST_PERCENT:.0f} %{verdict}."
    )
    imports = (
        f"imports {len(heavy)} modules of torch, {heavy[0]} first"
        if heavy
        else "imports nothing of torch"
    )
    print(f"`--help` takes {helped:.2f} s (median of 5; goal: {MOST_SECONDS} s) and {imports}.")
    last_line(
        "overhead",
        {
            "run": rows,
            "beside_percent": others,
            "help_seconds": helped,
            "help_imports_torch": heavy,
        },
        arguments,
    )


if __name__ == "__main__":
    main()
