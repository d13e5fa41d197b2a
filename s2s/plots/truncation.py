"""The next token's probabilities as bars, and on the same bars where each filter cuts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import plotly.graph_objects as go

from s2s.plots import theme

ROW = 24  # pixels a bar
# pixels for the title and the filters' names, which stand upright; for the axis and the legend
ABOVE = 150
BELOW = 84
FAINT = 1e-7  # where a logarithmic axis begins at the latest
# parts of the width: what is probable, what stays
BARS = (0.0, 0.6)
MARKS = (0.66, 1.0)
DASHES = ("dot", "dash", "dashdot")
GREY = "rgba(128, 128, 128, 0.8)"
STAYS = MappingProxyType({"symbol": "square", "size": 9, "color": theme.CATEGORICAL[0]})
GOES = MappingProxyType({"symbol": "circle-open", "size": 6, "color": GREY})


class FilterResult(NamedTuple):
    """What one filter leaves. `rank`: after so many bars it cuts; None where what it leaves out stands among what it keeps."""

    name: str
    stays: Sequence[bool]  # of each bar
    n_others: int  # of the tokens that have no bar
    rank: int | None = None
    threshold: float | None = None  # the probability below which it leaves out


def truncation(
    bars: Sequence[tuple[str, float]],
    others: tuple[int, float],
    cuts: Sequence[FilterResult],
    *,
    title: str,
    is_log: bool = False,
) -> go.Figure:
    """Tokens and probabilities, the most probable on top; `others`: how many more there are and their probability together.

    A column of marks a filter: a square stays, a ring goes, the thick line is the cut. Solid bars stay under the last filter.
    """
    if not bars:
        return theme.empty("There are no probabilities to show.")
    n_others, rest = others
    labels = [theme.escaped(theme.shortened(token)) for token, _ in bars] + [
        f"{n_others:,} others"
    ] * bool(n_others)
    names = [theme.escaped(token) for token, _ in bars] + [f"{n_others:,} others"] * bool(n_others)
    figure = go.Figure([_bars(bars, cuts), *_marks(cuts, names), *_thresholds(cuts, len(bars))])
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
        xaxis=_across([share for _, share in bars], is_log),
        xaxis2={
            "domain": MARKS,
            "range": [-0.6, max(1, len(cuts)) - 0.4],
            "visible": False,
            "fixedrange": True,
        },
        yaxis=rows | {"automargin": True, "fixedrange": True, "showgrid": False},
        shapes=_lines(cuts, len(bars)),
        annotations=[
            *(_name(at, cut) for at, cut in enumerate(cuts)),
            *([_rest(rest, len(bars))] if n_others else []),
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


def _across(shares: Sequence[float], is_log: bool) -> dict[str, Any]:
    """The axis of probabilities, with room for the numbers beside the bars."""
    most = max(shares)
    axis = {"domain": BARS, "fixedrange": True, "tickformat": "~%", "nticks": 4, "tickangle": 0}
    if not is_log:
        return axis | {"range": [0, 1.35 * most]}
    low = math.log10(max(min(shares), FAINT)) - 0.5
    high = math.log10(most)
    return axis | {
        "type": "log",
        "range": [low, high + 0.35 * (high - low)],
        "dtick": max(1, math.ceil((high - low) / 4)),
    }


def _bars(bars: Sequence[tuple[str, float]], cuts: Sequence[FilterResult]) -> go.Bar:
    color = theme.CATEGORICAL[0]
    stays = cuts[-1].stays if cuts else [True] * len(bars)
    return go.Bar(
        x=[share for _, share in bars],
        y=[*range(len(bars))],
        orientation="h",
        text=[fine_percent(share) for _, share in bars],
        textposition="outside",
        textangle=0,
        cliponaxis=False,
        marker={
            "color": [color if is_in else "rgba(0, 0, 0, 0)" for is_in in stays],
            "line": {"color": color, "width": 1.5},
        },
        customdata=[theme.escaped(token) for token, _ in bars],
        hovertemplate="%{customdata}: %{x:.3%}<extra></extra>",
        showlegend=False,
    )


def _rest(share: float, row: int) -> dict[str, Any]:
    """What the others have together: a number, as a bar of many tokens would dwarf the bars of one."""
    place = {
        "x": 0,
        "xref": "x domain",
        "xanchor": "left",
        "y": row,
        "yref": "y",
        "showarrow": False,
    }
    return place | {"text": f"{fine_percent(share)} together", "font": {"size": 12}}


def fine_percent(share: float) -> str:
    """`0.254` -> `25%`, `0.0031` -> `0.3%`, `0.00043` -> `0.043%`."""
    if share < 1e-5:
        return "<0.001%"
    return f"{share:.0%}" if share >= 0.1 else f"{share:.1%}" if share >= 0.001 else f"{share:.3%}"


def _marks(cuts: Sequence[FilterResult], names: Sequence[str]) -> list[go.Scatter]:
    """What each filter keeps, and what it leaves out."""
    places = [
        (at, row, is_in) for at, cut in enumerate(cuts) for row, is_in in enumerate(cut.stays)
    ]
    said = {
        (
            at,
            row,
        ): f"{theme.escaped(cuts[at].name)} {'keeps' if is_in else 'leaves out'} {names[row]}"
        for at, row, is_in in places
    }
    kept = _scatter({(at, row): said[at, row] for at, row, is_in in places if is_in}, STAYS)
    gone = _scatter({(at, row): said[at, row] for at, row, is_in in places if not is_in}, GOES)
    return [kept, gone, _counts(cuts, len(names))]


def _scatter(places: Mapping[tuple[int, int], str], marker: Mapping[str, Any]) -> go.Scatter:
    """From column and row to what hover says."""
    return go.Scatter(
        x=[at for at, _ in places],
        y=[row for _, row in places],
        xaxis="x2",
        mode="markers",
        marker=dict(marker),
        customdata=[*places.values()],
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )


def _counts(cuts: Sequence[FilterResult], n_rows: int) -> go.Scatter:
    """How many of the others stay, in their row."""
    held = [(at, cut) for at, cut in enumerate(cuts) if cut.n_others]
    return go.Scatter(
        x=[at for at, _ in held],
        y=[n_rows - 1] * len(held),
        xaxis="x2",
        mode="text",
        text=[f"+{cut.n_others}" for _, cut in held],
        textfont={"size": 10},
        customdata=[
            f"{theme.escaped(cut.name)} keeps {cut.n_others:,} of the others" for _, cut in held
        ],
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )


def _thresholds(cuts: Sequence[FilterResult], n_bars: int) -> list[go.Scatter]:
    """The probabilities below which filters leave out, down through the bars."""
    held = [(cut.name, cut.threshold) for cut in cuts if cut.threshold is not None]
    return [
        go.Scatter(
            x=[threshold, threshold],
            y=[-0.5, n_bars - 0.5],
            mode="lines",
            line={"color": theme.CATEGORICAL[3], "dash": DASHES[at % len(DASHES)], "width": 1.5},
            name=f"{theme.escaped(name)}: below {fine_percent(threshold)} goes",
            hoverinfo="name",
        )
        for at, (name, threshold) in enumerate(held)
    ]


def _lines(cuts: Sequence[FilterResult], n_bars: int) -> list[dict[str, Any]]:
    """A thin line across the bars at every cut, a thick one below the filter's marks."""
    inside = [
        (at, cut.rank) for at, cut in enumerate(cuts) if cut.rank is not None and cut.rank <= n_bars
    ]
    thin = {"color": GREY, "width": 1, "dash": "dot"}
    thick = {"color": theme.CATEGORICAL[3], "width": 3}
    across = [
        _level(rank, 0.0, MARKS[1]) | {"xref": "paper", "line": thin}
        for rank in sorted({rank for _, rank in inside})
    ]
    return across + [
        _level(rank, at - 0.42, at + 0.42) | {"xref": "x2", "line": thick} for at, rank in inside
    ]


def _level(rank: int, start: float, end: float) -> dict[str, Any]:
    """A line below so many bars."""
    return {"type": "line", "x0": start, "x1": end, "y0": rank - 0.5, "y1": rank - 0.5}


def _name(at: int, cut: FilterResult) -> dict[str, Any]:
    """A filter's name above its marks."""
    place = {
        "x": at,
        "xref": "x2",
        "y": 1,
        "yref": "paper",
        "xanchor": "center",
        "yanchor": "bottom",
    }
    return place | {
        "text": theme.escaped(cut.name),
        "textangle": -90,
        "showarrow": False,
        "font": {"size": 12},
    }
