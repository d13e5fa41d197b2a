"""Training curves of one run or of several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from s2s.plots import theme

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
# one marker per run, so that no run is told by its color alone
MARKERS = ("diamond", "square", "circle", "triangle-up", "x", "star")
N_MARKERS = 9  # along a curve that has one point per step
GRAY = "#8A8F98"  # a contrast of at least 3:1 on the light and the dark background
MAX_LABELED = 4  # marks with a label: more would overlap


class Curve(NamedTuple):
    """One curve to draw: the values that one run has logged, by step."""

    name: str
    steps: ArrayLike
    values: ArrayLike
    run: int = 0  # its number in the picture, which gives color, dash and marker
    is_held_out: bool = False  # one point per validation, never smoothed; others have one per step


class StepMark(NamedTuple):
    """An event at a step, drawn as a dotted vertical line."""

    step: float
    label: str


class CurveOptions(NamedTuple):
    """How curves are drawn: smoothing, range of steps, and axes."""

    smoothing: float = 0.0  # weight of the running average, from 0 to below 1
    steps: tuple[float, float] | None = None  # first and last step shown; None: all
    is_log_x: bool = False
    is_log_y: bool = False


class CurvePoints(NamedTuple):
    """The points of a curve that are drawn. `smoothed` equals `values` without smoothing."""

    steps: NDArray[np.float64]
    values: NDArray[np.float32]
    smoothed: NDArray[np.float32]


DEFAULT_OPTIONS = CurveOptions()
NO_STEPS_YET = "The curves start with the first step."
NOTHING_IN_RANGE = "Nothing in this range: show more steps, or other axes."


def curves(
    lines: Sequence[Curve],
    *,
    title: str,
    y_label: str,
    x_label: str = "step",
    options: CurveOptions = DEFAULT_OPTIONS,
    marks: Sequence[StepMark] = (),
    nothing: str = NO_STEPS_YET,
) -> go.Figure:
    """A plot of values by step (or by what `x_label` says): solid for training batches, dashed with markers for
    held-out pairs.

    A run has one color; `nothing` is the text of the empty figure.
    """
    drawn = [(line, found) for line in lines if len((found := curve_points(line, options)).steps)]
    if not drawn:
        is_hidden = options != DEFAULT_OPTIONS and nothing == NO_STEPS_YET
        return theme.empty(NOTHING_IN_RANGE if is_hidden else nothing)
    # runs without a point in the range count, too: no curve changes its color when the range does
    is_alone = len({line.run for line in lines}) == 1
    traces = [
        trace for line, found in drawn for trace in _traces(line, found, options, is_alone=is_alone)
    ]
    layout = theme.layout(title, 360, x_label, y_label) | {"hovermode": "x unified"}
    last = max(float(found.steps[-1]) for _, found in drawn)
    layout["shapes"] = _mark_lines(marks, options.steps or (0.0, last), is_log=options.is_log_x)
    first = min(float(found.steps[0]) for _, found in drawn)
    span = options.steps or (first, last)
    if options.is_log_x:  # which has no 0
        span = (max(first, span[0]), span[1])
    ends = [float(end(found.values)) for _, found in drawn for end in (np.min, np.max)]
    if options.is_log_x:
        layout["xaxis"] |= theme.log_axis(*span)
    if options.is_log_y:
        layout["yaxis"] |= theme.log_axis(min(ends), max(ends))
    layout["xaxis"] |= _span(options, span)
    if options.steps:  # a narrow range fills the height
        layout["yaxis"] |= {"rangemode": "normal"}
    return go.Figure(traces, layout)


def curve_points(line: Curve, options: CurveOptions) -> CurvePoints:
    """The finite points in the range, above 0 on a log axis, with one neighbor per side: lines reach the edges."""
    steps = np.asarray(line.steps, np.float64)
    values = np.asarray(line.values, np.float64)
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32)
    is_smoothed = options.smoothing and not line.is_held_out
    soft = smoothed(narrow, options.smoothing) if is_smoothed else narrow
    fits_y = (values > 0) | (not options.is_log_y)
    fits_x = (steps > 0) | (not options.is_log_x)
    kept = np.isfinite(narrow) & fits_y & fits_x
    part = _between(steps[kept], *options.steps) if options.steps else slice(None)
    return CurvePoints(steps[kept][part], narrow[kept][part], soft[kept][part])


def _between(steps: NDArray[np.float64], low: float, high: float) -> slice:
    first = int(np.searchsorted(steps, low))
    last = int(np.searchsorted(steps, high, "right"))
    return slice(max(0, first - 1), last + 1) if last > first else slice(0)


def smoothed(values: ArrayLike, weight: float) -> NDArray[np.float32]:
    """The exponential moving average with bias correction (Kingma & Ba 2015, section 3); NaN is skipped."""
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
    line: Curve, found: CurvePoints, options: CurveOptions, *, is_alone: bool
) -> list[go.Scatter]:
    color = theme.CATEGORICAL[line.run % len(theme.CATEGORICAL)]
    style = _style(line, color, is_alone=is_alone)
    hover = {"name": theme.escaped(line.name), "hovertemplate": "%{y:.4~g}"}
    curve = _trace(found.steps, found.smoothed, **style, **hover)
    if line.is_held_out or not options.smoothing:
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
    symbol = MARKERS[line.run % len(MARKERS)]
    marker = {"symbol": symbol, "size": 8, "color": color}
    stroke = {"color": color, "width": 2, "dash": "dash" if line.is_held_out else "solid"}
    if line.is_held_out:
        return {
            "mode": "lines+markers",
            "marker": marker,
            "cliponaxis": False,
            "line": stroke,
        }
    if is_alone:
        return {"mode": "lines", "line": stroke}
    return {
        "mode": "lines+markers",
        "marker": marker | {"symbol": f"{symbol}-open", "maxdisplayed": N_MARKERS},
        "line": stroke,
    }


def _trace(steps: ArrayLike, values: ArrayLike, **style: Any) -> go.Scatter:
    return go.Scatter(
        x=np.asarray(steps, np.float32), y=np.asarray(values, np.float32), connectgaps=True, **style
    )


def _span(options: CurveOptions, span: tuple[float, float]) -> dict[str, Any]:
    if options.steps is None:
        return {}
    low, high = np.log10(span).tolist() if options.is_log_x else span
    return {"range": [low, high], "rangemode": "normal"}


def _mark_lines(
    marks: Sequence[StepMark], span: tuple[float, float], *, is_log: bool
) -> list[dict[str, Any]]:
    low, high = span
    visible = [mark for mark in marks if low <= mark.step <= high]
    middle = math.sqrt(max(1.0, low) * high) if is_log else (low + high) / 2
    return [
        _mark_line(mark, mark.label if i >= len(visible) - MAX_LABELED else "", mark.step > middle)
        for i, mark in enumerate(visible)
    ]


def _mark_line(mark: StepMark, label: str, is_right: bool) -> dict[str, Any]:
    place = {"type": "line", "x0": mark.step, "x1": mark.step, "yref": "paper", "y0": 0, "y1": 1}
    side = {
        "textposition": "end",
        "textangle": 0,
        "xanchor": "right" if is_right else "left",
        "yanchor": "top",
    }
    return {
        **place,
        "line": {"color": GRAY, "width": 1.5, "dash": "dot"},
        "label": {"text": theme.escaped(label), **side},
    }
