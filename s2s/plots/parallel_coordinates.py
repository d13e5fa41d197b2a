"""Parallel coordinates: one axis per setting or score, one line per run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from s2s.plots import theme
from s2s.words import format_value

CAPTION = "Follow one line from its settings to its scores; on every score, up is better."
OTHERS = theme.CATEGORICAL[0]
BEST = theme.CATEGORICAL[3]
DECADES = 1.0  # positive numbers that span at least this many are drawn by their logarithm
ROOM = 0.06  # of an axis, above and below its values
MAX_TICKS = 6  # of an axis
TICK_DISTANCE = 0.07  # of an axis, at least
LIFT = 0.02  # of an axis: moves a label off a level line where no side is free
SPACER = "\u2002\u2002"  # two en spaces: text is next to a marker, not on it

Value = float | int | str | bool | None


@dataclass(frozen=True)
class ParallelAxis:
    """One axis: a value per run, None where it has none yet. `is_low_up` flips an axis on which lower is better."""

    name: str
    values: tuple[Value, ...]
    is_low_up: bool = False


@dataclass(frozen=True)
class _Scale:
    places: tuple[float | None, ...]  # of the values, 0 to 1
    ticks: tuple[tuple[float, str], ...]


def parallel_coordinates(
    axes: Sequence[ParallelAxis], names: Sequence[str], *, best: int | None = None, title: str
) -> go.Figure:
    """A plot, one line per run through its values; that of the best run is thicker, has diamonds and is drawn last."""
    if not names or not axes:
        return theme.empty("No run of this sweep has settings to show.")
    scales = [_scale(axis) for axis in axes]
    order = sorted(range(len(names)), key=lambda run: run == best)
    layout = theme.layout(title, 400, "", "")
    layout["xaxis"] = _across(axes)
    layout["yaxis"] = {"visible": False, "range": [-ROOM, 1 + ROOM], "fixedrange": True}
    layout["margin"] = {"l": 12, "r": 12, "t": 110, "b": 12}
    layout |= {
        "shapes": [_upright(at) for at in range(len(axes))],
        "showlegend": False,
        "hovermode": "closest",
    }
    lines = [_line(axes, scales, run, names[run], is_best=run == best) for run in order]
    return go.Figure([*lines, _ticks(scales)], layout)


def _line(
    axes: Sequence[ParallelAxis], scales: Sequence[_Scale], run: int, name: str, *, is_best: bool
) -> go.Scatter:
    hover = [
        f"{theme.escaped(axis.name)}: {theme.escaped(format_value(axis.values[run]))}"
        for axis in axes
    ]
    style: dict[str, Any] = (
        {"color": BEST, "width": 4} if is_best else {"color": OTHERS, "width": 1.5}
    )
    return go.Scatter(
        x=list(range(len(axes))),
        y=[scale.places[run] for scale in scales],
        name=theme.escaped(name),
        mode="lines+markers",
        line=style,
        marker={"size": 12 if is_best else 6, "symbol": "diamond" if is_best else "circle"},
        hovertext=[f"{theme.escaped(name)}{' (best)' * is_best}<br>{text}" for text in hover],
        hoverinfo="text",
        cliponaxis=False,
    )


def _across(axes: Sequence[ParallelAxis]) -> dict[str, Any]:
    names = [theme.escaped(axis.name).replace(".", ".<br>").replace(" ", "<br>") for axis in axes]
    ticks = {
        "tickmode": "array",
        "tickvals": list(range(len(axes))),
        "ticktext": names,
        "side": "top",
        "tickangle": 0,
        "automargin": False,
    }
    return ticks | {
        "range": [-0.45, len(axes) - 0.45],
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }


def _upright(at: int) -> dict[str, Any]:
    line = {"color": "#888888", "width": 1}
    return {"type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "line": line, "layer": "below"}


def _ticks(scales: Sequence[_Scale]) -> go.Scatter:
    last = len(scales) - 1
    sides = {last: "middle right", 0: "middle left"}  # the later wins where there is one axis
    aside = [
        (sides.get(at, "top right"), 0.0 if at in sides else LIFT) for at in range(len(scales))
    ]
    ticks = [
        (at, place + aside[at][1], text, aside[at][0])
        for at, scale in enumerate(scales)
        for place, text in scale.ticks
    ]
    x, y, labels, sides_of = zip(*ticks, strict=True) if ticks else ((), (), (), ())
    text = [f"{SPACER}{theme.escaped(theme.shortened(label))}{SPACER}" for label in labels]
    look: dict[str, Any] = {"textposition": sides_of or "top right", "textfont": {"size": 12}}
    return go.Scatter(x=x, y=y, text=text, mode="text", hoverinfo="skip", cliponaxis=False, **look)


def _rounded(value: Value) -> str:
    return f"{value:.3g}" if isinstance(value, float) else format_value(value)


def _scale(axis: ParallelAxis) -> _Scale:
    known = [value for value in axis.values if value is not None]
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known):
        sizes = [
            float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None
            for value in axis.values
        ]
        present = [size for size in sizes if size is not None]
        bend = (
            math.log10
            if present and min(present) > 0 and math.log10(max(present) / min(present)) >= DECADES
            else float
        )
        numbers = [None if size is None else bend(size) for size in sizes]
    else:
        kinds = list(dict.fromkeys(map(format_value, known)))
        numbers = [
            None if value is None else float(kinds.index(format_value(value)))
            for value in axis.values
        ]
    places = _places(numbers, is_low_up=axis.is_low_up)
    texts = {
        place: _rounded(value)
        for place, value in zip(places, axis.values, strict=True)
        if place is not None
    }
    return _Scale(places, tuple(_apart(texts)))


def _places(numbers: Sequence[float | None], *, is_low_up: bool) -> tuple[float | None, ...]:
    present = [number for number in numbers if number is not None]
    low = min(present, default=0.0)
    high = max(present, default=0.0)
    width = high - low

    def share(number: float) -> float:
        return (number - low) / width if width else 0.5

    shares = [None if number is None else share(number) for number in numbers]
    return tuple(1 - share if share is not None and is_low_up else share for share in shares)


def _apart(texts: Mapping[float, str]) -> list[tuple[float, str]]:
    places = sorted(texts)
    kept = [places[0], places[-1]] if places else []
    stride = max(1, math.ceil(len(places) / MAX_TICKS))
    for place in places[stride:-1:stride]:
        if all(abs(place - other) >= TICK_DISTANCE for other in kept):
            kept.append(place)
    return [(place, texts[place]) for place in sorted(set(kept))]
