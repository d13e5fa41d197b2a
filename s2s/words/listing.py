"""Names in a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`; empty for none."""
    *first, last = names or ("",)
    return f"{', '.join(first)} and {last}" if first else last
