"""Positions as pictures: matrices with numbered axes, lines by place or distance, columns that turn, twins beyond their training."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from s2s.plots import theme
from s2s.plots.curves import DASHES, GREY, MARKERS

Array = npt.NDArray[np.float32]

MAX_MATRIX_ROWS = 256  # of a matrix: more than a screen has pixels for
MARKS = 12  # markers along a line
HATCHES = ("", "/", ".", "x")
LABELLED = 30  # points on a circle up to which each has its number


@dataclass(frozen=True)
class LineSeries:
    """One line, and between which values the numbers lie that it is the mean of, where it is one."""

    name: str
    x: Sequence[float] | npt.NDArray[Any]
    y: Sequence[float] | Array
    low: Sequence[float] | Array = ()
    high: Sequence[float] | Array = ()


def matrix(
    values: Array,
    *,
    title: str,
    across: str,
    down: str,
    signed: bool = True,
    coarse_columns: bool = False,
) -> go.Figure:
    """Numbers by two numbered axes from 0. Signed: grey is 0, darker is less, brighter more.

    Beyond 256 rows each that is drawn is the mean of several, as the title says; columns likewise where they are places, too.
    """
    if values.size == 0:
        return theme.empty("There are no numbers to show.")
    step = -(-len(values) // MAX_MATRIX_ROWS)
    shown = downsampled(values, step, across=coarse_columns)
    limit = float(np.abs(shown).max()) or 1.0
    cells = go.Heatmap(
        z=shown,
        x0=(step - 1) / 2 if coarse_columns else 0,
        dx=step if coarse_columns else 1,
        y0=(step - 1) / 2,
        dy=step,
        zmin=-limit if signed else float(shown.min()),
        zmax=limit if signed else float(shown.max()),
        colorscale=theme.SEQUENTIAL,
        hovertemplate=f"{down} %{{y:.4~g}}, {across} %{{x:.4~g}}: %{{z:.4~g}}<extra></extra>",
        colorbar={"thickness": 10, "tickformat": ".2~g", "nticks": 5},
    )
    said = f"{title}\neach row the mean of {step} positions" if step > 1 else title
    layout = theme.layout(said, 420, across, down)
    layout["margin"] |= {"t": 66 if step > 1 else 48}
    for axis in ("xaxis", "yaxis"):
        layout[axis] |= {"rangemode": "normal", "showgrid": False, "zeroline": False}
    layout["yaxis"] |= {"autorange": "reversed"}
    return go.Figure([cells], layout)


def downsampled(values: Array, step: int, *, across: bool = False) -> Array:
    """Means of `step` rows each, of as many columns where `across`; a last block may be of fewer.

    >>> downsampled(np.array([[1.0], [3.0], [5.0]], np.float32), 2)
    array([[2.], [5.]], dtype=float32)
    """
    if step == 1:
        return np.ascontiguousarray(values, np.float32)
    starts = np.arange(0, len(values), step)
    sums: Array = np.add.reduceat(values, starts, axis=0)
    means = np.ascontiguousarray(sums / np.diff([*starts, len(values)])[:, None], np.float32)
    return np.ascontiguousarray(downsampled(means.T, step).T) if across else means


def line_chart(
    lines: Sequence[LineSeries], *, title: str, across: str, up: str, is_log: bool = False
) -> go.Figure:
    """Lines told apart by color, dash and marker; a shade between `low` and `high`."""
    shown = [line for line in lines if len(line.x)]
    if not shown:
        return theme.empty("There are no numbers to show.")
    traces = [
        trace
        for place, line in enumerate(shown)
        for trace in (*_shade(line, place), _stroke(line, place, across))
    ]
    layout = theme.layout(title, 360, across, up)
    layout["xaxis"] |= {"rangemode": "normal"}
    layout["yaxis"] |= {"rangemode": "normal"} | (
        {"type": "log", "dtick": 1, "exponentformat": "power"} if is_log else {}
    )
    return go.Figure(traces, layout | {"showlegend": len(shown) > 1})


def _stroke(line: LineSeries, place: int, across: str) -> go.Scatter:
    many = len(line.x) > MARKS
    return go.Scatter(
        x=np.asarray(line.x, np.float32),
        y=np.asarray(line.y, np.float32),
        name=theme.escaped(line.name),
        mode="lines+markers",
        line={"color": _color(place), "width": 2, "dash": DASHES[place % len(DASHES)]},
        marker={"symbol": MARKERS[place % len(MARKERS)], "size": 7}
        | ({"maxdisplayed": MARKS} if many else {}),
        hovertemplate=f"{across} %{{x:.4~g}}: %{{y:.4~g}}",
    )


def _shade(line: LineSeries, place: int) -> list[go.Scatter]:
    if not len(line.low):
        return []
    x = np.concatenate([np.asarray(line.x), np.asarray(line.x)[::-1]])
    y = np.concatenate([np.asarray(line.high), np.asarray(line.low)[::-1]])
    style = {
        "mode": "lines",
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": _color(place),
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


def _color(place: int) -> str:
    return theme.CATEGORICAL[place % len(theme.CATEGORICAL)]


def rotations(
    points: Array, offset: int, starts: Sequence[int], *, title: str, axes: tuple[str, str]
) -> go.Figure:
    """`points` (positions, 2) of one pair of columns on a circle; from each of `starts` an arm to it and one `offset` places on."""
    if not len(points):
        return theme.empty("There are no positions to show.")
    rim = np.linspace(0, 2 * np.pi, 181)
    size = float(np.linalg.norm(points, axis=1).max())
    circle = go.Scatter(
        x=(size * np.cos(rim)).astype(np.float32), y=(size * np.sin(rim)).astype(np.float32), mode="lines",
        line={"color": GREY, "width": 1}, hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    first = points[:LABELLED]
    dots = go.Scatter(
        x=first[:, 0], y=first[:, 1], mode="markers", marker={"color": GREY, "size": 6}, name=f"positions 0 to {len(first) - 1}",
        customdata=np.arange(len(first)), hovertemplate="position %{customdata}<extra></extra>",
    )  # fmt: skip
    arms = [_arms(points, start, offset, place) for place, start in enumerate(starts)]
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


def _arms(points: Array, start: int, offset: int, place: int) -> go.Scatter:
    """From the first to the middle to the second; numbers at both ends."""
    (ax, ay), (bx, by) = points[start], points[start + offset]
    return go.Scatter(
        x=np.array([ax, 0, bx], np.float32),
        y=np.array([ay, 0, by], np.float32),
        mode="lines+markers+text",
        name=f"{start} and {start + offset}",
        text=[f"<b>{start}</b>", "", f"<b>{start + offset}</b>"],
        textposition=[_outside(ax, ay), "middle center", _outside(bx, by)],
        textfont={"size": 13},
        line={"color": _color(place), "width": 3, "dash": DASHES[place % len(DASHES)]},
        marker={"size": [11, 1, 11], "symbol": MARKERS[place % len(MARKERS)]},
        hoverinfo="name",
        cliponaxis=False,
    )


def _outside(x: float, y: float) -> str:
    return f"{'top' if y >= 0 else 'bottom'} {'right' if x >= 0 else 'left'}"


def paired_bars(
    labels: Sequence[str], sides: Mapping[str, Array], *, title: str, up: str
) -> go.Figure:
    """Bars beside each other at each label, a color and a hatching a side."""
    if not labels:
        return theme.empty("There are no words to show.")
    places = np.arange(len(labels))
    bars = [
        go.Bar(
            x=places, y=np.asarray(values, np.float32), name=theme.escaped(name), customdata=[theme.escaped(label) for label in labels],
            marker={"color": _color(place), "pattern": {"shape": HATCHES[place % len(HATCHES)]}},
            hovertemplate="%{customdata}: %{y:.3~g}",
        )
        for place, (name, values) in enumerate(sides.items())
    ]  # fmt: skip
    layout = theme.layout(title, 320, "", up)
    ticks = [theme.escaped(theme.shortened(label)) for label in labels]
    layout["xaxis"] |= {
        "rangemode": "normal",
        "tickmode": "array",
        "tickvals": places,
        "ticktext": ticks,
    }
    return go.Figure(bars, layout | {"bargap": 0.25})


def extrapolation(
    lines: Sequence[LineSeries],
    trained: tuple[int, int],
    *,
    title: str,
    up: str,
    chance: float | None = None,
) -> go.Figure:
    """Shares in per cent by the length of a line, the lengths of training shaded; `chance` is what guessing would give."""
    if not lines:
        return theme.empty("No twin has been measured yet.")
    figure = line_chart(lines, title=title, across="digits of the line", up=up)
    low, high = trained
    figure.add_vrect(
        low - 0.5, high + 0.5, fillcolor=GREY, opacity=0.18, line={"width": 0}, layer="below"
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
            line={"color": GREY, "dash": "dot"},
            annotation={"text": "guessing", "font": {"size": 12}},
        )
    return figure.update_yaxes(range=[-3, 105], rangemode="normal").update_traces(cliponaxis=False)


def columns_csv(named: Mapping[str, Sequence[Any] | npt.NDArray[Any]]) -> str:
    """Columns of one length as CSV."""
    return _csv([list(named), *zip(*named.values(), strict=True)])


def matrix_csv(values: Array, corner: str) -> str:
    """A matrix with numbered axes as CSV."""
    head = [corner, *range(values.shape[1])]
    return _csv([head, *([place, *row] for place, row in enumerate(values))])


def _csv(rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        [_written(value) for value in row] for row in rows
    )
    return out.getvalue()


def _written(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float | np.floating) else value
