"""Throughput calibration: how much longer runs take on this computer than estimated, from its newest runs."""

from __future__ import annotations

import itertools
import json
import math
import os
import statistics
from dataclasses import dataclass
from typing import Any

from s2s import files
from s2s.jobs.plan.throughput import seconds_per_step
from s2s.runs import RunFolder, runs_folder

OVERHEAD = 1.12  # validation, samples and saving beside the updates
N_RUNS = 10  # newest runs of this computer that are used
MIN_STEPS = 100  # steps that a run must have made
MIN_SECONDS = 20.0  # seconds that they must have taken: in a shorter run, startup dominates
TRUSTED = 3  # runs; with fewer, half the correction (on a log scale) is applied
TAIL_BYTES = 1 << 17  # bytes at the end of a metrics.jsonl that are read: a few hundred steps
BOUNDS = (0.3, 3.0)  # a run that shared the computer with many others says nothing about one alone
# Of both sides: half of them are the longer side's, a sixth of a batch is padding.
SLOTS_PER_TOKEN = 0.6


@dataclass(frozen=True)
class Calibration:
    """How many times longer runs take here than estimated, computed from `n_runs` runs."""

    factor: float = 1.0
    n_runs: int = 0


UNCALIBRATED = Calibration()


def calibrate(device: str) -> Calibration:
    """The median ratio of this home's newest runs on that device; its square root while there are fewer than three."""
    folders = [RunFolder(path.parent) for path in runs_folder().glob("*/metrics.jsonl")]
    newest = sorted(folders, key=_changed, reverse=True)[: 2 * N_RUNS]
    ratios = [ratio for folder in newest if (ratio := _ratio(folder, device)) is not None][:N_RUNS]
    if not ratios:
        return Calibration()
    low, high = BOUNDS
    factor = min(high, max(low, statistics.median(ratios)))
    return Calibration(factor if len(ratios) >= TRUSTED else math.sqrt(factor), len(ratios))


def _changed(folder: RunFolder) -> float:
    try:
        return (folder.path / "metrics.jsonl").stat().st_mtime
    except OSError:  # deleted meanwhile
        return 0.0


def _ratio(folder: RunFolder, device: str) -> float | None:
    """Measured seconds per step over the estimate; None where the run is too short or unreadable."""
    try:
        recipe = folder.recipe()
        if recipe.train.device != device or not recipe.train.threads:
            return None
        seconds, slots = _measured(_tail(folder), recipe.train.batch_tokens)
        size = folder.tokenizers()[1].vocab_size
    except files.UNREADABLE:  # broken, too short, or being deleted
        return None
    return seconds / (OVERHEAD * seconds_per_step(recipe, size, slots))


def _tail(folder: RunFolder) -> list[dict[str, Any]]:
    with (folder.path / "metrics.jsonl").open("rb") as file:
        start = max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES)
        file.seek(start)
        lines = file.read().split(b"\n")[1 if start else 0 : -1]
    return [line for line in map(json.loads, lines) if line["kind"] == "train"]


def _measured(lines: list[dict[str, Any]], batch_tokens: int) -> tuple[float, int]:
    """Seconds per step, and tokens of a batch with padding. Raises ValueError for too short a run."""
    if len(lines) < MIN_STEPS:
        raise ValueError("too few steps to tell")
    times = [float(line["time"]) for line in lines]
    gaps = [after - before for before, after in itertools.pairwise(times)]
    between = statistics.mean(
        gap for gap, line in zip(gaps, lines[1:], strict=True) if not line.get("first")
    )
    if between * lines[-1]["step"] < MIN_SECONDS:
        raise ValueError("too short to tell")
    tokens = statistics.median(line["n_tokens"] for line in lines)  # of both sides, without padding
    return between, min(batch_tokens, int(SLOTS_PER_TOKEN * tokens))
