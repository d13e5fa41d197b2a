"""The axis of a grid of numbered rows or columns, such as layers and heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2s.plots import theme


def grid_axis(name: str, n: int, ticks: Sequence[str] = ()) -> dict[str, Any]:
    """`n` cells, 0-based for traces; `ticks` name them, numbers from 1 without. No cell can be zoomed."""
    return {
        "title": {"text": name, "standoff": 2},
        "tickvals": [*range(n)],
        "ticktext": [*ticks] or [str(number + 1) for number in range(n)],
        "tickfont": {"size": theme.SMALLEST},
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
    }
