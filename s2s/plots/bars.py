"""Named quantities as horizontal bars, of one model or of several side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from s2s.plots import theme

PATTERNS = ("", "/", "x", ".")  # so that bars are distinguishable without color
ROW = 34  # pixels per name
NAME_WIDTH = 170  # pixels


def bars(
    names: Sequence[str], series: Mapping[str, Sequence[float]], *, title: str, x_label: str
) -> go.Figure:
    """One row per name, from the top, with one bar for each of `series`, which have one value per name."""
    if not names or not series:
        return theme.empty("There is nothing to measure.")
    height = 96 + len(names) * (ROW if len(series) == 1 else 20 * len(series) + 8)
    layout = theme.layout(title, height, x_label, "") | {
        "barmode": "group",
        "showlegend": len(series) > 1,
        "bargap": 0.25,
    }
    layout["legend"] |= {"y": -60 / (height - 56), "traceorder": "normal"}
    layout["margin"] |= {"l": NAME_WIDTH, "r": 64}
    layout["yaxis"] |= {
        "title": None,
        "autorange": "reversed",
        "ticktext": [theme.escaped(name) for name in names],
    }
    layout["yaxis"] |= {"tickmode": "array", "tickvals": list(range(len(names))), "showgrid": False}
    return go.Figure(
        [
            _bars(name, values, number, x_label)
            for number, (name, values) in enumerate(series.items())
        ],
        layout,
    )


def _bars(name: str, values: Sequence[float], number: int, x_label: str) -> go.Bar:
    return go.Bar(
        x=list(values),
        y=list(range(len(values))),
        orientation="h",
        name=theme.escaped(name),
        text=[compact_number(value) for value in values],
        textposition="outside",
        cliponaxis=False,
        marker={
            "color": theme.CATEGORICAL[number % 7],
            "pattern": {"shape": PATTERNS[number % 4], "fillmode": "overlay", "size": 6},
        },
        hovertemplate=f"%{{x:,}} {theme.escaped(x_label)}<extra>{theme.escaped(name)}</extra>",
    )


def compact_number(value: float) -> str:
    """A number with three significant digits and a unit.

    >>> amount(1_438_208), amount(78), amount(0)
    ('1.44 M', '78', '0')
    """
    for unit, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= 0.9995 * size:
            return f"{_three(value / size)} {unit}"
    return f"{value:.3g}"


def _three(value: float) -> str:
    """Three significant digits: `1000` where `%.3g` would write `1e+03`."""
    return f"{value:.0f}" if abs(value) >= 99.95 else f"{value:.3g}"
