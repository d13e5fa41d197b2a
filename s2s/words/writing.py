"""Numbers and lists of names as sentences and pictures have them."""

from __future__ import annotations

from collections.abc import Sequence

SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`; empty for none."""
    *first, last = names or ("",)
    return f"{', '.join(first)} and {last}" if first else last


def nats(log_prob: float) -> str:
    """`-1.5` -> `−1.50`; what rounds to zero has no sign."""
    return f"{log_prob:z.2f}".replace("-", "−")


def four_digits(value: float) -> str:
    """Four significant digits: `-0.000123456` -> `−0.0001235`, `-520165.55` -> `−520,166`, `-0.0` -> `0`."""
    if not value:
        return "0"
    is_long = 1000 <= abs(value) < 1e9
    text = f"{value:,.0f}" if is_long else f"{value:#.4g}".rstrip(".")
    digits, _, power = text.partition("e")
    tens = f" × 10{str(int(power)).translate(SUPERSCRIPT)}" if power else ""
    return f"{digits}{tens}".replace("-", "−")


def percent(share: float) -> str:
    """`0.254` -> `25%`."""
    return f"{share:.0%}" if share >= 0.01 else "less than 1%"
