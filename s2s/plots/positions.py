"""Position encodings: matrices, lines by position or distance, rotations, accuracy beyond the trained lengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.curves import DASHES, GRAY, MARKERS

Array = npt.NDArray[np.float32]

MAX_MATRIX_ROWS = 256  # more are averaged: a screen has few pixels
N_MARKERS = 12  # along a line
PATTERNS = ("", "/", ".", "x")
MAX_POINTS = 30  # of a circle that are drawn


@dataclass(frozen=True)
class LineSeries:
    """One line of a plot; `low` and `high` bound a shade around it, the range of the values that it is the mean of."""

    name: str
    x: Sequence[float] | npt.NDArray[Any]
    y: Sequence[float] | Array
    low: Sequence[float] | Array = ()
    high: Sequence[float] | Array = ()


def matrix(
    values: Array,
    *,
    title: str,
    x_label: str,
    y_label: str,
) -> go.Figure:
    """A heatmap with axes numbered from 0: 0 is dark, negative values are blue, positive ones yellow.

    Beyond 256 rows, each drawn row is the mean of several, as the title says.
    """
    if values.size == 0:
        return theme.empty("There are no numbers to show.")
    step = -(-len(values) // MAX_MATRIX_ROWS)
    shown = downsampled(values, step)
    limit = float(np.abs(shown).max()) or 1.0
    cells = go.Heatmap(
        z=shown,
        x0=0,
        dx=1,
        y0=(step - 1) / 2,
        dy=step,
        **theme.around_zero(limit),
        hovertemplate=f"{y_label} %{{y:.4~g}}, {x_label} %{{x:.4~g}}: %{{z:.4~g}}<extra></extra>",
        colorbar={"thickness": 10, "tickformat": ".2~g", "nticks": 5},
    )
    heading = f"{title}\neach row the mean of {step} positions" if step > 1 else title
    layout = theme.layout(heading, 420, x_label, y_label)
    layout["margin"] |= {"t": 66 if step > 1 else 48}
    for axis in ("xaxis", "yaxis"):
        layout[axis] |= {"rangemode": "normal", "showgrid": False, "zeroline": False}
    layout["yaxis"] |= {"autorange": "reversed"}
    return go.Figure([cells], layout)


def downsampled(values: Array, step: int) -> Array:
    """The means of every `step` rows; the last block may be smaller.

    >>> downsampled(np.array([[1.0], [3.0], [5.0]], np.float32), 2)
    array([[2.], [5.]], dtype=float32)
    """
    if step == 1:
        return np.ascontiguousarray(values, np.float32)
    starts = np.arange(0, len(values), step)
    sums: Array = np.add.reduceat(values, starts, axis=0)
    return np.ascontiguousarray(sums / np.diff([*starts, len(values)])[:, None], np.float32)


def line_chart(
    lines: Sequence[LineSeries], *, title: str, x_label: str, y_label: str, is_log: bool = False
) -> go.Figure:
    """A plot of lines that differ in color, dash and marker, with a shade between `low` and `high`."""
    shown = [line for line in lines if len(line.x)]
    if not shown:
        return theme.empty("There are no numbers to show.")
    traces = [
        trace
        for number, line in enumerate(shown)
        for trace in (*_shade(line, number), _line(line, number, x_label))
    ]
    layout = theme.layout(title, 360, x_label, y_label)
    layout["xaxis"] |= {"rangemode": "normal"}
    layout["yaxis"] |= {"rangemode": "normal"}
    if is_log:
        above = [float(y) for line in shown for y in line.y if y > 0]
        layout["yaxis"] |= theme.log_axis(min(above, default=1), max(above, default=1))
    return go.Figure(traces, layout | {"showlegend": len(shown) > 1})


def _line(line: LineSeries, number: int, x_label: str) -> go.Scatter:
    many = len(line.x) > N_MARKERS
    return go.Scatter(
        x=np.asarray(line.x, np.float32),
        y=np.asarray(line.y, np.float32),
        name=theme.escaped(line.name),
        mode="lines+markers",
        line={"color": _color(number), "width": 2, "dash": DASHES[number % len(DASHES)]},
        marker={"symbol": MARKERS[number % len(MARKERS)], "size": 7}
        | ({"maxdisplayed": N_MARKERS} if many else {}),
        hovertemplate=f"{x_label} %{{x:.4~g}}: %{{y:.4~g}}",
    )


def _shade(line: LineSeries, number: int) -> list[go.Scatter]:
    if not len(line.low):
        return []
    x = np.concatenate([np.asarray(line.x), np.asarray(line.x)[::-1]])
    y = np.concatenate([np.asarray(line.high), np.asarray(line.low)[::-1]])
    style = {
        "mode": "lines",
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": _color(number),
        "opacity": 0.2,
    }
    return [
        go.Scatter(
            x=x.astype(np.float32),
            y=y.astype(np.float32),
            showlegend=False,
            hoverinfo="skip",
            **style,
        )
    ]


def _color(number: int) -> str:
    return theme.CATEGORICAL[number % len(theme.CATEGORICAL)]


def rotations(
    points: Array, offset: int, starts: Sequence[int], *, title: str, axes: tuple[str, str]
) -> go.Figure:
    """A plot of rotations: `points` (positions, 2) of a pair of columns on a circle; arms to each of `starts` and to
    `offset` further.
    """
    if not len(points):
        return theme.empty("There are no positions to show.")
    angles = np.linspace(0, 2 * np.pi, 181)
    size = float(np.linalg.norm(points, axis=1).max())
    circle = go.Scatter(
        x=(size * np.cos(angles)).astype(np.float32),
        y=(size * np.sin(angles)).astype(np.float32),
        mode="lines",
        line={"color": GRAY, "width": 1},
        hoverinfo="skip",
        showlegend=False,
    )
    first = points[:MAX_POINTS]
    dots = go.Scatter(
        x=first[:, 0],
        y=first[:, 1],
        mode="markers",
        marker={"color": GRAY, "size": 6},
        name=f"positions 0 to {len(first) - 1}",
        customdata=np.arange(len(first)),
        hovertemplate="position %{customdata}<extra></extra>",
    )
    arms = [_arms(points, start, offset, number) for number, start in enumerate(starts)]
    layout = theme.layout(title, 440, *axes)
    span = [-1.25 * size, 1.25 * size]
    layout["xaxis"] |= {"range": span, "rangemode": "normal", "constrain": "domain"}
    layout["yaxis"] |= {
        "range": span,
        "rangemode": "normal",
        "scaleanchor": "x",
        "constrain": "domain",
    }
    return go.Figure([circle, dots, *arms], layout)


def _arms(points: Array, start: int, offset: int, number: int) -> go.Scatter:
    (ax, ay), (bx, by) = points[start], points[start + offset]
    return go.Scatter(
        x=np.array([ax, 0, bx], np.float32),
        y=np.array([ay, 0, by], np.float32),
        mode="lines+markers+text",
        name=f"{start} and {start + offset}",
        text=[f"<b>{start}</b>", "", f"<b>{start + offset}</b>"],
        textposition=[_outside(ax, ay), "middle center", _outside(bx, by)],
        textfont={"size": 13},
        line={"color": _color(number), "width": 3, "dash": DASHES[number % len(DASHES)]},
        marker={"size": [11, 1, 11], "symbol": MARKERS[number % len(MARKERS)]},
        hoverinfo="name",
        cliponaxis=False,
    )


def _outside(x: float, y: float) -> str:
    return f"{'top' if y >= 0 else 'bottom'} {'right' if x >= 0 else 'left'}"


def paired_bars(
    labels: Sequence[str], series: Mapping[str, Array], *, title: str, y_label: str
) -> go.Figure:
    """A bar chart with one bar per label and series; series differ in color and pattern."""
    if not labels:
        return theme.empty("There are no words to show.")
    positions = np.arange(len(labels))
    bars = [
        go.Bar(
            x=positions,
            y=np.asarray(values, np.float32),
            name=theme.escaped(name),
            customdata=[theme.escaped(label) for label in labels],
            marker={
                "color": _color(number),
                "pattern": {"shape": PATTERNS[number % len(PATTERNS)]},
            },
            hovertemplate="%{customdata}: %{y:.3~g}",
        )
        for number, (name, values) in enumerate(series.items())
    ]
    layout = theme.layout(title, 320, "", y_label)
    ticks = [theme.escaped(theme.shortened(label)) for label in labels]
    layout["xaxis"] |= {
        "rangemode": "normal",
        "tickmode": "array",
        "tickvals": positions,
        "ticktext": ticks,
    }
    return go.Figure(bars, layout | {"bargap": 0.25})


def extrapolation(
    lines: Sequence[LineSeries],
    trained: tuple[int, int],
    *,
    title: str,
    y_label: str,
    chance: float | None = None,
) -> go.Figure:
    """A plot of accuracy, percent, by sequence length; trained lengths are shaded, `chance` is that of guessing."""
    if not lines:
        return theme.empty("No model has been measured yet.")
    figure = line_chart(lines, title=title, x_label="digits in the sequence", y_label=y_label)
    low, high = trained
    figure.add_vrect(
        low - 0.5, high + 0.5, fillcolor=GRAY, opacity=0.18, line={"width": 0}, layer="below"
    )
    figure.add_annotation(
        text="trained on",
        x=(low + high) / 2,
        xref="x",
        y=0.02,
        yref="paper",
        yanchor="bottom",
        showarrow=False,
        font={"size": 13},
    )
    if chance is not None:
        figure.add_hline(
            chance,
            line={"color": GRAY, "dash": "dot"},
            annotation={"text": "guessing", "font": {"size": 12}},
        )
    return figure.update_yaxes(range=[-3, 105], rangemode="normal").update_traces(cliponaxis=False)
