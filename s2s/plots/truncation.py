"""The truncation inspector: next-token probabilities as bars, and which of the tokens each filter keeps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import plotly.graph_objects as go

from s2s.plots import theme
from s2s.words import fine_percent

CAPTION = (
    "Below each filter, squares are kept and rings are removed; the thick line is its threshold. Tokens with solid bars"
    " are kept by all filters together."
)
ROW = 24  # pixels per bar
ABOVE = 150  # pixels for the title and the filters' names, which are upright
BELOW = 84  # pixels for the axis and the legend
MIN_PROBABILITY = 1e-7  # a logarithmic axis starts here at the latest
BARS = (0.0, 0.6)  # the part of the width for bars
MARKS = (0.66, 1.0)  # and that for the filters' marks
DASHES = ("dot", "dash", "dashdot")
GRAY = "rgba(128, 128, 128, 0.8)"
KEPT = MappingProxyType({"symbol": "square", "size": 9, "color": theme.CATEGORICAL[0]})
REMOVED = MappingProxyType({"symbol": "circle-open", "size": 6, "color": GRAY})


class FilterResult(NamedTuple):
    """The tokens that a filter keeps. `rank`: the number of first bars it keeps; None where removed and kept mix."""

    name: str
    keeps: Sequence[bool]  # for each bar
    n_others: int  # kept tokens that have no bar
    rank: int | None = None
    threshold: float | None = None  # the probability below which it removes tokens


def truncation(
    bars: Sequence[tuple[str, float]],
    others: tuple[int, float],
    filters: Sequence[FilterResult],
    *,
    title: str,
    is_log: bool = False,
) -> go.Figure:
    """A bar chart of tokens and probabilities, the best on top; `others`: how many more there are, and their total
    probability.

    One column of marks per filter: squares are kept, rings removed, the thick line is the threshold. The last filter
    keeps solid bars.
    """
    if not bars:
        return theme.empty("There are no probabilities to show.")
    n_others, other_probability = others
    labels = [theme.escaped(theme.shortened(token)) for token, _ in bars] + [
        f"{n_others:,} others"
    ] * bool(n_others)
    names = [theme.escaped(token) for token, _ in bars] + [f"{n_others:,} others"] * bool(n_others)
    figure = go.Figure(
        [_bars(bars, filters), *_marks(filters, names), *_thresholds(filters, len(bars))]
    )
    rows = {
        "tickmode": "array",
        "tickvals": [*range(len(labels))],
        "ticktext": labels,
        "range": [len(labels) - 0.5, -0.5],
    }
    figure.update_layout(
        title=theme.heading(title),
        height=ABOVE + ROW * len(labels) + BELOW,
        margin={"l": 8, "r": 8, "t": ABOVE, "b": BELOW},
        xaxis=_probability_axis([share for _, share in bars], is_log),
        xaxis2={
            "domain": MARKS,
            "range": [-0.6, max(1, len(filters)) - 0.4],
            "visible": False,
            "fixedrange": True,
        },
        yaxis=rows | {"automargin": True, "fixedrange": True, "showgrid": False},
        shapes=_lines(filters, len(bars)),
        annotations=[
            *(_name(at, result) for at, result in enumerate(filters)),
            *([_others(other_probability, len(bars))] if n_others else []),
        ],
        legend={
            "orientation": "h",
            "x": 0,
            "xref": "container",
            "y": 0,
            "yref": "container",
            "yanchor": "bottom",
        },
        bargap=0.25,
        dragmode=False,
        showlegend=True,
    )
    return figure.update_xaxes(zeroline=False)


def _probability_axis(shares: Sequence[float], is_log: bool) -> dict[str, Any]:
    most = max(shares)
    axis = {"domain": BARS, "fixedrange": True, "tickformat": "~%", "nticks": 4, "tickangle": 0}
    if not is_log:
        return axis | {"range": [0, 1.35 * most]}
    low = math.log10(max(min(shares), MIN_PROBABILITY)) - 0.5
    high = math.log10(most)
    return axis | {
        "type": "log",
        "range": [low, high + 0.35 * (high - low)],
        "dtick": max(1, math.ceil((high - low) / 4)),
    }


def _bars(bars: Sequence[tuple[str, float]], filters: Sequence[FilterResult]) -> go.Bar:
    color = theme.CATEGORICAL[0]
    is_kept = filters[-1].keeps if filters else [True] * len(bars)
    return go.Bar(
        x=[share for _, share in bars],
        y=[*range(len(bars))],
        orientation="h",
        text=[fine_percent(share) for _, share in bars],
        textposition="outside",
        textangle=0,
        cliponaxis=False,
        marker={
            "color": [color if is_in else "rgba(0, 0, 0, 0)" for is_in in is_kept],
            "line": {"color": color, "width": 1.5},
        },
        customdata=[theme.escaped(token) for token, _ in bars],
        hovertemplate="%{customdata}: %{x:.3%}<extra></extra>",
        showlegend=False,
    )


def _others(share: float, row: int) -> dict[str, Any]:
    place = {
        "x": 0,
        "xref": "x domain",
        "xanchor": "left",
        "y": row,
        "yref": "y",
        "showarrow": False,
    }
    return place | {"text": f"{fine_percent(share)} in total", "font": {"size": 12}}


def _marks(filters: Sequence[FilterResult], names: Sequence[str]) -> list[go.Scatter]:
    cells = [
        (at, row, is_in)
        for at, result in enumerate(filters)
        for row, is_in in enumerate(result.keeps)
    ]
    hover = {
        (
            at,
            row,
        ): f"{theme.escaped(filters[at].name)} {'keeps' if is_in else 'removes'} {names[row]}"
        for at, row, is_in in cells
    }
    kept = _scatter({(at, row): hover[at, row] for at, row, is_in in cells if is_in}, KEPT)
    removed = _scatter(
        {(at, row): hover[at, row] for at, row, is_in in cells if not is_in}, REMOVED
    )
    return [kept, removed, _counts(filters, len(names))]


def _scatter(marks: Mapping[tuple[int, int], str], marker: Mapping[str, Any]) -> go.Scatter:
    return go.Scatter(
        x=[at for at, _ in marks],
        y=[row for _, row in marks],
        xaxis="x2",
        mode="markers",
        marker=dict(marker),
        customdata=[*marks.values()],
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )


def _counts(filters: Sequence[FilterResult], n_rows: int) -> go.Scatter:
    shown = [(at, result) for at, result in enumerate(filters) if result.n_others]
    return go.Scatter(
        x=[at for at, _ in shown],
        y=[n_rows - 1] * len(shown),
        xaxis="x2",
        mode="text",
        text=[f"+{result.n_others}" for _, result in shown],
        textfont={"size": 12},
        customdata=[
            f"{theme.escaped(result.name)} keeps {result.n_others:,} of the others"
            for _, result in shown
        ],
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )


def _thresholds(filters: Sequence[FilterResult], n_bars: int) -> list[go.Scatter]:
    shown = [(result.name, result.threshold) for result in filters if result.threshold is not None]
    return [
        go.Scatter(
            x=[threshold, threshold],
            y=[-0.5, n_bars - 0.5],
            mode="lines",
            line={"color": theme.CATEGORICAL[3], "dash": DASHES[at % len(DASHES)], "width": 1.5},
            name=f"{theme.escaped(name)}: removes below {fine_percent(threshold)}",
            hoverinfo="name",
        )
        for at, (name, threshold) in enumerate(shown)
    ]


def _lines(filters: Sequence[FilterResult], n_bars: int) -> list[dict[str, Any]]:
    inside = [
        (at, result.rank)
        for at, result in enumerate(filters)
        if result.rank is not None and result.rank <= n_bars
    ]
    thin = {"color": GRAY, "width": 1, "dash": "dot"}
    thick = {"color": theme.CATEGORICAL[3], "width": 3}
    across = [
        _level(rank, 0.0, MARKS[1]) | {"xref": "paper", "line": thin}
        for rank in sorted({rank for _, rank in inside})
    ]
    return across + [
        _level(rank, at - 0.42, at + 0.42) | {"xref": "x2", "line": thick} for at, rank in inside
    ]


def _level(rank: int, start: float, end: float) -> dict[str, Any]:
    return {"type": "line", "x0": start, "x1": end, "y0": rank - 0.5, "y1": rank - 0.5}


def _name(at: int, result: FilterResult) -> dict[str, Any]:
    place = {
        "x": at,
        "xref": "x2",
        "y": 1,
        "yref": "paper",
        "xanchor": "center",
        "yanchor": "bottom",
    }
    return place | {
        "text": theme.escaped(result.name),
        "textangle": -90,
        "showarrow": False,
        "font": {"size": 12},
    }
