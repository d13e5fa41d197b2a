"""Rounded numbers for people."""

from __future__ import annotations

from typing import Any


def short_count(number: float, units: str = "kMBT") -> str:
    """`63_082_496` -> `63 M`, `2_177_408` -> `2.2 M`; each unit a thousand times the one before."""
    power = min(len(units), len(f"{number:.0f}") // 3 - (len(f"{number:.0f}") % 3 == 0))
    if not power:
        return f"{number:.0f}"
    shown = number / 1000**power
    return f"{shown:.0f} {units[power - 1]}" if shown >= 10 else f"{shown:.1f} {units[power - 1]}"


def round_up(steps: float) -> int:
    """Two digits: 5,872 -> 5,900."""
    size = 10 ** max(0, len(str(int(steps))) - 2)
    return int(-(-steps // size) * size)


def round_down(steps: float) -> int:
    size = 10 ** max(0, len(str(int(steps))) - 2)
    return int(steps // size * size)


def written(value: Any) -> str:
    """The value of a setting, for people."""
    if value is None:
        return "automatic"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else str(value)
