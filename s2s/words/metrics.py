"""The numbers that the dashboard shows: name, unit, what it means, and which way is better.

The metrics of translations are in s2s.scores, whose METRIC_NAMES holds those and these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from s2s.config import shipped


@dataclass(frozen=True)
class MetricName:
    """One row. `better` is `higher`, `lower`, or empty where neither is better in itself."""

    key: str
    label: str
    unit: str
    help: str
    better: str = ""


NUMBER_NAMES: Mapping[str, MetricName] = MappingProxyType(
    {key: MetricName(key, **row) for key, row in shipped(__file__, "metrics.toml").items()}
)
FRACTIONS = frozenset({"token_accuracy"})  # keys stored as 0 to 1, shown as a percentage


def smoothing_note(rates: Iterable[float]) -> str:
    """One sentence beside losses of runs with these rates of label smoothing; "" where all are 0."""
    known = sorted({rate for rate in rates if rate})
    if not known:
        return ""
    return f"Trained with label smoothing {', '.join(f'{rate:g}' for rate in known)}; losses are shown without it."
