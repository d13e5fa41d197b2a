"""Training curves of one run or of several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from s2s.plots import theme

DASHES = (
    "solid",
    "dash",
    "dot",
    "dashdot",
    "longdash",
    "longdashdot",
)  # a run each: none is told by its color alone
MARKERS = ("diamond", "square", "circle", "triangle-up", "x", "star")
MARKS = 9  # markers along a curve that has a point a step
GREY = "#8A8F98"  # 3:1 and more on white as on the dark ground
LABELLED = 4  # changes of the learning rate that are named: more would stand in each other's way


class Curve(NamedTuple):
    """One curve and how it is told from the others."""

    name: str
    steps: ArrayLike
    values: ArrayLike
    run: int = 0  # which of the runs in the picture, from 0: its color, dash and marker
    is_held_out: bool = False  # a point a validation, drawn as it is; the others have a point a step and may be smoothed


class StepMark(NamedTuple):
    """Something that happened at a step."""

    step: int
    label: str


class CurveOptions(NamedTuple):
    """How curves are drawn."""

    smoothing: float = 0.0  # weight of what was, 0 to below 1
    stretch: tuple[float, float] | None = None  # first and last step shown; None: all
    is_log_x: bool = False
    is_log_y: bool = False


class CurvePoints(NamedTuple):
    """What is drawn of a curve. `smoothed` are the values themselves where nothing is smoothed."""

    steps: NDArray[np.float64]
    values: NDArray[np.float32]
    smoothed: NDArray[np.float32]


DEFAULT_OPTIONS = CurveOptions()
NO_STEPS_YET = "The curves start with the first step."


def curves(
    lines: Sequence[Curve],
    *,
    title: str,
    up: str,
    look: CurveOptions = DEFAULT_OPTIONS,
    marks: Sequence[StepMark] = (),
    nothing: str = NO_STEPS_YET,
) -> go.Figure:
    """Numbers by step, named `up`: a line for the batches trained on, markers on dashes for the held-out pairs.

    `nothing` stands where there is no number yet.
    """
    shown = [(line, found) for line in lines if len((found := curve_points(line, look)).steps)]
    if not shown:
        return theme.empty(
            nothing
            if look == DEFAULT_OPTIONS or nothing != NO_STEPS_YET
            else "Nothing here: show more steps, or other axes."
        )
    is_alone = (
        len({line.run for line in lines}) == 1
    )  # those out of sight too: nothing changes its color while one looks around
    traces = [
        trace for line, found in shown for trace in _traces(line, found, look, is_alone=is_alone)
    ]
    layout = theme.layout(title, 360, "step", up) | {"hovermode": "x unified"}
    last = max(float(found.steps[-1]) for _, found in shown)
    layout["shapes"] = _uprights(marks, look.stretch or (0.0, last), is_log=look.is_log_x)
    across = look.stretch or (min(float(found.steps[0]) for _, found in shown), last)
    heights = [float(end(found.values)) for _, found in shown for end in (np.min, np.max)]
    layout["xaxis"] |= _axis(look.is_log_x, *across) | _span(look)
    layout["yaxis"] |= _axis(look.is_log_y, min(heights), max(heights))
    layout["yaxis"] |= {"rangemode": "normal"} if look.stretch else {}  # to see a stretch closely
    return go.Figure(traces, layout)


def curve_points(line: Curve, look: CurveOptions) -> CurvePoints:
    """Those that can be drawn: numbers, above 0 on a log axis, in the stretch or next to it, so that lines go on to the rim."""
    steps = np.asarray(line.steps, np.float64)
    values = np.asarray(line.values, np.float64)
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32)
    soft = smoothed(narrow, look.smoothing) if look.smoothing and not line.is_held_out else narrow
    kept = (
        np.isfinite(narrow)
        & ((values > 0) | (not look.is_log_y))
        & ((steps > 0) | (not look.is_log_x))
    )
    cut = _between(steps[kept], *look.stretch) if look.stretch else slice(None)
    return CurvePoints(steps[kept][cut], narrow[kept][cut], soft[kept][cut])


def _between(steps: NDArray[np.float64], low: float, high: float) -> slice:
    first = int(np.searchsorted(steps, low))
    last = int(np.searchsorted(steps, high, "right"))
    return slice(max(0, first - 1), last + 1) if last > first else slice(0)


def smoothed(values: ArrayLike, weight: float) -> NDArray[np.float32]:
    """The exponential moving average over the points, without a bias to its start (Kingma & Ba 2015, section 3); NaN is passed over."""
    given = np.asarray(values, np.float64)
    average = 0.0
    left = 1.0
    found = np.full(len(given), np.nan)
    for i, value in enumerate(given):
        if np.isfinite(value):
            average = weight * average + (1 - weight) * value
            left = left * weight
            found[i] = average / (1 - left)
    return found.astype(np.float32)


def _traces(
    line: Curve, found: CurvePoints, look: CurveOptions, *, is_alone: bool
) -> list[go.Scatter]:
    """The curve; a smoothed one over what it is made of, which is faint."""
    color = theme.CATEGORICAL[
        (int(line.is_held_out) if is_alone else line.run) % len(theme.CATEGORICAL)
    ]
    style = _style(line, color, is_alone=is_alone)
    told = {"name": theme.escaped(line.name), "hovertemplate": "%{y:.4~g}"}
    curve = _trace(found.steps, found.smoothed, **style, **told)
    if line.is_held_out or not look.smoothing:
        return [curve]
    faint = {
        "mode": "lines",
        "line": {"color": color, "width": 1},
        "opacity": 0.3,
        "showlegend": False,
        "hoverinfo": "skip",
    }
    return [_trace(found.steps, found.values, **faint), curve]


def _style(line: Curve, color: str, *, is_alone: bool) -> dict[str, Any]:
    """Of one run: training solid, held-out dashed with markers. Of several: a dash and a marker each, open where trained on."""
    symbol = MARKERS[line.run % len(MARKERS)]
    marker = {"symbol": symbol, "size": 8, "color": color}
    stroke = {"color": color, "width": 2, "dash": DASHES[line.run % len(DASHES)]}
    if line.is_held_out:
        return {
            "mode": "lines+markers",
            "marker": marker,
            "cliponaxis": False,
            "line": stroke | ({"dash": "dash"} if is_alone else {}),
        }
    if is_alone:
        return {"mode": "lines", "line": stroke | {"dash": "solid"}}
    return {
        "mode": "lines+markers",
        "marker": marker | {"symbol": f"{symbol}-open", "maxdisplayed": MARKS},
        "line": stroke,
    }


def _trace(steps: ArrayLike, values: ArrayLike, **style: Any) -> go.Scatter:
    return go.Scatter(
        x=np.asarray(steps, np.float32), y=np.asarray(values, np.float32), connectgaps=True, **style
    )


def _axis(is_log: bool, low: float, high: float) -> dict[str, Any]:
    """On a log axis over more than a decade only decades have numbers: 2, 5 and 8 between them would be tiny."""
    if not is_log:
        return {}
    dtick = 1 if high > 10 * max(low, 1e-30) else None
    return {
        "type": "log",
        "rangemode": "normal",
        "dtick": dtick,
        "exponentformat": "power",
        "minor": {"ticks": "outside"},
    }


def _span(look: CurveOptions) -> dict[str, Any]:
    if look.stretch is None:
        return {}
    low, high = look.stretch
    return {
        "range": [float(np.log10(max(1.0, end))) for end in (low, high)]
        if look.is_log_x
        else [low, high],
        "rangemode": "normal",
    }


def _uprights(
    marks: Sequence[StepMark], span: tuple[float, float], *, is_log: bool
) -> list[dict[str, Any]]:
    """Those within the span; the newest of them named."""
    low, high = span
    seen = [mark for mark in marks if low <= mark.step <= high]
    middle = math.sqrt(max(1.0, low) * high) if is_log else (low + high) / 2
    return [
        _upright(mark, mark.label if i >= len(seen) - LABELLED else "", mark.step > middle)
        for i, mark in enumerate(seen)
    ]


def _upright(mark: StepMark, label: str, is_right: bool) -> dict[str, Any]:
    """A dotted line from bottom to top, its name on the side where there is room."""
    place = {"type": "line", "x0": mark.step, "x1": mark.step, "yref": "paper", "y0": 0, "y1": 1}
    side = {
        "textposition": "end",
        "textangle": 0,
        "xanchor": "right" if is_right else "left",
        "yanchor": "top",
    }
    return {
        **place,
        "line": {"color": GREY, "width": 1.5, "dash": "dot"},
        "label": {"text": theme.escaped(label), **side},
    }
