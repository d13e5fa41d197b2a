"""Forecast training times, before the start and after a fifth of the run, compared with the measured times.

Each run goes through the queue of a fresh `S2S_HOME`, as from the page: the first is forecast by the formula alone, the
later ones are calibrated by those before them. A case has as many steps as the formula expects to take `--seconds`. The
time left is what the page shows after the first fifth (`Curves.seconds_left` of the lines so far); the actual time left
runs from that line to the last.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from benchmarks.report import last_line, options, table
from benchmarks.serving import ROOT
from s2s.config import PRESETS, Recipe, override
from s2s.data import load_preview
from s2s.jobs import STARTUP_SECONDS, calibrate, forecast, queue, training
from s2s.runs import Metrics, RunFolder, runs_folder
from s2s.settings import OWNER

MOST_PERCENT = 30  # error after a fifth
LOOKS = 10  # validations and checkpoints of a run
QUICK = 15.0  # seconds


class Case(NamedTuple):
    """A preset, a dataset and changed settings."""

    preset: str
    source: str
    changes: Mapping[str, Any] = MappingProxyType({})


CASES = (
    Case("mini-t5", "builtin:mini-en-fr"),
    Case("small", "builtin:en-fr"),
    Case("transformer-tiny", "builtin:en-fr"),
    Case(
        "small",
        "synthetic:reverse",
        MappingProxyType({"tokenizer.kind": "char", "model.d_model": 64}),
    ),
)


def lasting(case: Case, seconds: float) -> Recipe:
    """The case's recipe with as many steps as the formula expects to take this long."""
    recipe = override(PRESETS[case.preset].recipe, dict(case.changes))
    cost = forecast(recipe, load_preview(case.source))
    steps = max(
        5 * LOOKS,
        round(recipe.train.steps * (seconds - STARTUP_SECONDS) / (cost.seconds - STARTUP_SECONDS)),
    )
    often = {"train.watch.validate_every": steps // LOOKS, "train.watch.save_every": steps // LOOKS}
    return override(
        recipe,
        {
            "train.steps": steps,
            "train.warmup_steps": min(recipe.train.warmup_steps, steps // 6),
            **often,
        },
    )


def measure(case: Case, seconds: float) -> dict[str, Any]:
    """Train one case."""
    recipe = lasting(case, seconds)
    expected = forecast(recipe, load_preview(case.source), calibrate("cpu"))
    run = training.submit(
        training.RunRequest(recipe, case.source, preset=case.preset, name=case.preset),
        express=expected.is_express,
    )
    subprocess.run(
        [sys.executable, "-m", "s2s", "worker", "--idle", "1"],
        cwd=ROOT,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (job,) = queue.jobs(OWNER, 1)
    if job.state != "done" or job.started is None or job.finished is None:
        raise SystemExit(f"{case.preset} on {case.source} is {job.state}: {job.error}")
    took = job.finished - job.started
    left, actually_left = after_a_fifth(runs_folder() / run)
    row = {
        "preset": case.preset,
        "text": case.source,
        "steps": recipe.train.steps,
        "learnt from": expected.calibration.n_runs,
    }
    row |= {
        "told before s": expected.seconds,
        "took s": took,
        "off %": percent(expected.seconds, took),
    }
    row |= {
        "left at a fifth s": left,
        "truly s": actually_left,
        "then off %": percent(left, actually_left),
    }
    return row | {"then off % of all": 100 * (left - actually_left) / took}


def after_a_fifth(run: Path) -> tuple[float, float]:
    """Seconds left after a fifth of the steps and their validation: as shown on the page, and the actual ones."""
    steps = RunFolder(run).recipe().train.steps
    lines = list(_lines(run / "metrics.jsonl"))
    fifth = next(
        n
        for n, (_, step, kind, _) in enumerate(lines)
        if kind == "train" and step == steps // 5 + 1
    )
    with tempfile.TemporaryDirectory() as folder:
        early = Path(folder) / "metrics.jsonl"
        early.write_bytes(b"".join(raw for raw, *_ in lines[: fifth + 1]))
        shown = Metrics(early).read().seconds_left(steps)
    return float("nan") if shown is None else shown, lines[-1][3] - lines[fifth][3]


def _lines(path: Path) -> Iterator[tuple[bytes, int, str, float]]:
    """Each raw line, its step, kind and time."""
    parsed = RunFolder(path.parent).lines("metrics")
    for raw, line in zip(path.read_bytes().splitlines(keepends=True), parsed, strict=True):
        yield raw, line["step"], line["kind"], line["time"]


def percent(forecast_seconds: float, actual: float) -> float:
    """The error in percent of the actual value; negative where the forecast was too short."""
    return 100 * (forecast_seconds - actual) / actual


def main() -> None:
    """Run the cases, one after the other."""
    parser = options(__doc__)
    parser.add_argument("--quick", action="store_true", help=f"one case of {QUICK:.0f} s")
    parser.add_argument("--seconds", type=float, default=40.0, help="of each case, by the formula")
    arguments = parser.parse_args()
    cases, seconds = (CASES[:1], QUICK) if arguments.quick else (CASES, arguments.seconds)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ["S2S_HOME"] = folder
        rows = [measure(case, seconds) for case in cases]
    table(rows)
    worst = max(abs(row["then off %"]) for row in rows)
    print(f"\nLargest error after a fifth: {worst:.0f} %; goal: at most {MOST_PERCENT} %.")
    last_line("forecast", rows, arguments)


if __name__ == "__main__":
    main()
