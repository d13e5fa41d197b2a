"""What was measured of trained runs and ships; benchmarks/make measures it again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from s2s.files import from_json
from s2s.jobs import ExtrapolationResult
from s2s.jobs.fault_experiment import Outcome

EXTRAPOLATION_FILE = Path(__file__).parent / "twins.json"
FAULTS_FILE = Path(__file__).parent / "faults.json"


def shipped_results(task: str) -> list[ExtrapolationResult]:
    """How every encoding does on longer lines, with every seed and the page's default settings."""
    rows = json.loads(EXTRAPOLATION_FILE.read_bytes())["runs"]
    return from_json(list[ExtrapolationResult], [row for row in rows if row["task"] == task])


@dataclass(frozen=True)
class Measured:
    """What was measured of one run with a fault, or without. Losses in nats per token, as training saw them: empty
    where nothing was trained.
    """

    fault: str
    outcome: Outcome
    steps: tuple[int, ...] = ()
    loss: tuple[float, ...] = ()
    valid_steps: tuple[int, ...] = ()
    valid_loss: tuple[float, ...] = ()
    final_loss: float | None = None
    cpu_seconds: float = 0.0

    @property
    def is_trained(self) -> bool:
        """Whether the result is of a run of its own, rather than of a demo that is looked at."""
        return bool(self.steps)


@cache
def shipped_about() -> Mapping[str, Any]:
    """When, where and how the shipped results were measured."""
    content = json.loads(FAULTS_FILE.read_bytes())
    return MappingProxyType({key: content[key] for key in content if key != "results"})


@cache
def shipped_faults() -> Mapping[str, Measured]:
    """The measured results by `trained NAME` and `demo NAME`; NAME is `none` for the healthy run."""
    rows = json.loads(FAULTS_FILE.read_bytes())["results"]
    return MappingProxyType(from_json(dict[str, Measured], rows))
