"""The numbers that the dashboard shows: name, unit, what it means, which way is better; and how they are written.

The metrics of translations are in s2s.scores, whose METRIC_NAMES holds those and these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from s2s.config import shipped_rows


@dataclass(frozen=True)
class MetricName:
    """The name of one number. `better` is `higher`, `lower`, or empty where neither is better in itself."""

    key: str
    label: str
    unit: str
    help: str
    better: str = ""


NUMBER_NAMES: Mapping[str, MetricName] = shipped_rows(__file__, "numbers.toml", MetricName)
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
FRACTIONS = frozenset({"token_accuracy"})  # keys stored as 0 to 1, shown as a percentage


def smoothing_note(rates: Iterable[float]) -> str:
    """A sentence beside losses of runs with these rates of label smoothing; "" where all are 0."""
    known = sorted({rate for rate in rates if rate})
    if not known:
        return ""
    return f"Trained with label smoothing {', '.join(f'{rate:g}' for rate in known)}; losses are shown without it."


def duration(seconds: float) -> str:
    """Seconds as text: `95` -> `2 min`."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    hours = seconds / 3600
    return f"{hours:.1f} h" if hours < 48 else f"{hours / 24:,.0f} days"


def format_value(value: object) -> str:
    """A value in few characters: `0.0005`, `true`, `1.234`, `-` for none.

    >>> format_value(0.0005), format_value(True), format_value(1.23456), format_value(None)
    ('0.0005', 'true', '1.235', '-')
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def nats(log_prob: float) -> str:
    """A log-probability as text: `-1.5` -> `−1.50`; what rounds to zero has no sign."""
    return f"{log_prob:z.2f}".replace("-", "−")


def four_digits(value: float) -> str:
    """A number to four digits: `-0.000123456` -> `−0.0001235`, `-520165.55` -> `−520,166`, `-0.0` -> `0`."""
    return significant(value, 4)


def significant(value: float, n: int = 3) -> str:
    """A number to `n` significant digits: `-0.000123456` -> `−0.000123`, `-520165.55` -> `−520,166`, `-0.0` -> `0`."""
    if not value:
        return "0"
    is_long = 1000 <= abs(value) < 1e9
    text = f"{value:,.0f}" if is_long else f"{value:#.{n}g}".rstrip(".")
    digits, _, power = text.partition("e")
    tens = f" × 10{str(int(power)).translate(SUPERSCRIPT)}" if power else ""
    return f"{digits}{tens}".replace("-", "−")


def percent(share: float) -> str:
    """A share as percent: `0.254` -> `25%`."""
    return f"{share:.0%}" if share >= 0.01 else "less than 1%"


def fine_percent(share: float) -> str:
    """A share as percent, small ones with more digits: `0.254` -> `25%`, `0.0031` -> `0.3%`, `0.00043` -> `0.043%`."""
    if share < 1e-5:
        return "<0.001%"
    if share < 0.001:
        return f"{share:.3%}"
    return f"{share:.0%}" if share >= 0.1 else f"{share:.1%}"


def listed(names: Sequence[str]) -> str:
    """Names as a list in a sentence: `a`, `a and b`, `a, b and c`; empty for none."""
    *first, last = names or ("",)
    return f"{', '.join(first)} and {last}" if first else last
