"""What training wrote into a run's folder: its curves, and its translations of the probe sentences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from s2s.config import UserError
from s2s.library import Library
from s2s.runs import Curves, Metrics, Run, runs_folder
from s2s.ui.kit.cached.shared import shared

SAMPLE_KEYS = {"step", "source", "text", "reference"}


def curves(run_id: str) -> Curves:
    """The training curves so far; empty where nothing is written yet."""
    try:
        folder = Library().run(run_id).path
    except UserError:  # queued: its folder comes with its first line
        folder = runs_folder() / ".queued"
    return _metrics(str(folder)).read()


@shared(max_entries=512, show_spinner=False)
def _metrics(folder: str) -> Metrics:
    return Metrics(Path(folder) / "metrics.jsonl")


def samples(run_id: str, step: int | None = None) -> list[dict[str, Any]]:
    """The probe sentences' translations at one of `sample_steps`, by default the last; none before the first."""
    spans, path = _sample_spans(run_id)
    if not spans:
        return []
    start, length = spans.get(max(spans) if step is None else step, (0, 0))
    with path.open("rb") as file:
        file.seek(start)
        return [sample for line in file.read(length).splitlines() if (sample := _sample(line))]


def sample_steps(run_id: str) -> list[int]:
    """The steps at which the probe sentences were translated."""
    return sorted(_sample_spans(run_id)[0])


def _sample_spans(run_id: str) -> tuple[dict[int, tuple[int, int]], Path]:
    try:
        path = Library().run(run_id).path / "samples.jsonl"
        stamp = path.stat()
    except (UserError, OSError):
        return {}, Path()
    return _indexed(str(path), stamp.st_mtime_ns, stamp.st_size), path


@shared(max_entries=64, show_spinner=False)
def _indexed(path: str, changed: int, size: int) -> dict[int, tuple[int, int]]:
    """From each step to the first byte and the length of its lines: a long run's translations would fill the memory."""
    spans: dict[int, tuple[int, int]] = {}
    end = 0
    with open(path, "rb") as file:
        for line in file:
            end += len(line)
            if sample := _sample(line):
                start, _ = spans.get(sample["step"], (end - len(line), 0))
                spans[sample["step"]] = (start, end - start)
    return spans


def _sample(line: bytes) -> dict[str, Any]:
    try:
        sample = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(sample, dict) or not sample.keys() >= SAMPLE_KEYS:
        return {}
    return dict(sample) if isinstance(sample["step"], int) else {}


def probes(run: Run) -> list[tuple[str, str]]:
    """The probe sentences, which training translates at each validation, with their references."""
    return _probes(str(run.folder.path), run.step, run)


@shared(max_entries=16, show_spinner=False)
def _probes(folder: str, step: int, _run: Run) -> list[tuple[str, str]]:
    lines = (
        line for line in _run.folder.lines("samples") if {"source", "reference"} <= line.keys()
    )
    return [*dict.fromkeys((str(line["source"]), str(line["reference"])) for line in lines)]
