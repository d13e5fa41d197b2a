"""The pictures of `HeadImportance` and of `RoleAndImportance`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import plotly.graph_objects as go

from s2s.analysis import heads
from s2s.plots import theme
from s2s.plots.grids import HeadValues, head_values
from s2s.plots.picture import Picture
from s2s.plots.positions import LineSeries, line_chart
from s2s.questions import (
    HOW_LABELS,
    KIND_NAMES,
    HeadImportance,
    Importance,
    ImportanceWithRoles,
    PlacedHead,
    RoleAndImportance,
    Table,
    by_gradient,
    in_order,
    of_head,
    pruning,
)

UNIT = "nats per token"
CHANGE = f"change of the loss, {UNIT}"
ORDERS = MappingProxyType({"measured": "measured importance", "gradient": "gradient importance"})
METRICS = MappingProxyType({"bleu": "BLEU", "chrf": "chrF"})
CELLS = (
    "One cell per head: brighter is larger. A number in parentheses may be 0: its 95 % interval includes 0. A value is"
    f" the {CHANGE}, when that head alone is ablated; intervals resample sentences, the same with and without the head."
)
POINTS = "One point per head, with the 95 % interval of its height."
ACROSS = "Across: one pass with gradients for all heads (Michel et al. 2019, eq. 2). Up: each head ablated."
SHADES = (
    "Shades: 95 % intervals over sentences; for random orders the range. Importance is measured for one head at a time,"
    " so that heads that replace each other look unimportant until both are off."
)
BY_ROLE = (
    "Across: the role's strength over the same sentences, as the view Roles defines it. Up: the change of the loss when"
    " the head is ablated. p: the share of shuffled heads whose rank correlation is as large."
)
SYMBOLS = ("circle", "diamond", "square")


def pictures(question: HeadImportance, answer: Importance, model: str) -> list[Picture]:
    title = f"{model}\n{answer.n:,} sentences: {answer.sample}"
    return [
        _map(question, answer, title),
        _both(answer, title),
        _losses(answer, title),
        _scores(answer, title),
    ]


def _map(question: HeadImportance, answer: Importance, title: str) -> Picture:
    found = answer.measured
    grids = [
        HeadValues(KIND_NAMES[kind], found.value[kind], found.low[kind], found.high[kind])
        for kind in in_order(found.value)
    ]
    named = f"Importance of heads, {HOW_LABELS[question.how].lower()} ({UNIT})\n{title}"
    return Picture(
        "importance",
        named,
        head_values(grids, title=named, unit=UNIT),
        f"Grid of {_in_line(named)}",
        question.table(answer),
        question.finding(answer),
        f"{CELLS} With all heads the loss is {answer.loss:.3f} {UNIT} ({answer.n_tokens:,} tokens).",
    )


def _points(across: Mapping[PlacedHead, float], answer: Importance) -> dict[str, list[HeadPoint]]:
    found: dict[str, list[HeadPoint]] = {}
    up = answer.measured
    for at, x in across.items():
        y, low, high = (of_head(values, at) for values in (up.value, up.low, up.high))
        found.setdefault(KIND_NAMES[at.kind], []).append(HeadPoint(str(at), x, y, low, high))
    return found


def _both(answer: Importance, title: str) -> Picture:
    across = {at: of_head(answer.gradient.value, at) for at in answer.heads}
    named = f"Measured and gradient importance\n{title}"
    ranks = {
        KIND_NAMES.get(kind, "all heads"): f"{value['spearman']:.2f}".replace("-", "−")
        for kind, value in answer.agreement.items()
        if value
    }
    table = Table(("heads", "rank correlation"), [*map(list, ranks.items())])
    return Picture(
        "gradient",
        named,
        head_scatter(
            _points(across, answer),
            title=named,
            x_label=f"mean |d loss / d gate|, {UNIT}",
            y_label=CHANGE,
        ),
        _in_line(named),
        table,
        by_gradient(answer),
        f"{POINTS} {ACROSS} Rank correlation (Spearman): {', '.join(map(' '.join, ranks.items()))}.",
    )


def _losses(answer: Importance, title: str) -> Picture:
    curves = answer.curves
    names = {name: f"least important first, by {label}" for name, label in ORDERS.items()}
    names["random"] = f"random order, mean and range of {curves['random'].n_orders}"
    lines = []
    rows = []
    for order, name in names.items():
        columns = (
            curves[order].n_pruned,
            curves[order].loss,
            curves[order].low,
            curves[order].high,
        )
        lines.append(LineSeries(name, *columns))
        rows += [[order, *row] for row in zip(*columns, strict=True)]
    named = f"Loss without the least important heads\n{title}"
    up = f"loss, {UNIT}"
    figure = line_chart(lines, title=named, x_label="heads that are off", y_label=up, is_log=True)
    table = Table(("order", "heads off", "loss", "low", "high"), rows)
    return Picture("pruning", named, figure, _in_line(named), table, pruning(answer), SHADES)


def _scores(answer: Importance, title: str) -> Picture:
    lines = []
    for order, label in ORDERS.items():
        own = [row for row in answer.quality if row.order == order]
        n_pruned = [row.n_pruned for row in own]
        lines += [
            LineSeries(f"{name}, by {label}", n_pruned, [getattr(row, metric) for row in own])
            for metric, name in METRICS.items()
        ]
    named = f"Scores without the least important heads\n{title}"
    figure = line_chart(lines, title=named, x_label="heads that are off", y_label="score")
    rows = [[row.order, row.n_pruned, row.bleu, row.chrf] for row in answer.quality]
    table = Table(("order", "heads off", *METRICS.values()), rows)
    about = "Greedy decoding of the same sentences, against their references."
    return Picture("scores", named, figure, _in_line(named), table, caption=about)


def by_role(question: RoleAndImportance, answer: ImportanceWithRoles, model: str) -> list[Picture]:
    """A picture with a point per head that may have the role: its strength and the head's importance."""
    label = heads.CORPUS_ROLES[question.role(answer)].label
    found = answer.importance
    title = f"Importance, and the role: {label}\n{model}\n{found.n:,} sentences: {found.sample}"
    figure = head_scatter(
        _points(question.strengths(answer), found),
        title=title,
        x_label=f"strength of the role {label.lower()}",
        y_label=CHANGE,
    )
    finding, table = question.finding(answer), question.table(answer)
    caption = f"{POINTS} {BY_ROLE}"
    return [Picture("role and importance", title, figure, _in_line(title), table, finding, caption)]


def _in_line(title: str) -> str:
    return title.replace("\n", ", ")


class HeadPoint(NamedTuple):
    """A head as a point; `low` to `high` is the interval of y."""

    name: str
    x: float
    y: float
    low: float
    high: float


def head_scatter(
    kinds: Mapping[str, Sequence[HeadPoint]], *, title: str, x_label: str, y_label: str
) -> go.Figure:
    """A plot with a point per head. `kinds`: the points of each kind of attention, by its name."""
    shown = {name: points for name, points in kinds.items() if points}
    if not shown:
        return theme.empty("There are no heads to show yet.")
    layout = theme.layout(title, 400, x_label, y_label)
    layout["xaxis"] |= {"rangemode": "normal"}
    layout["yaxis"] |= {"rangemode": "normal"}
    traces = [
        _kind(name, points, number, (x_label, y_label))
        for number, (name, points) in enumerate(shown.items())
    ]
    return go.Figure(traces, layout | {"showlegend": True})


def _kind(
    name: str, points: Sequence[HeadPoint], number: int, labels: tuple[str, str]
) -> go.Scatter:
    x_label, y_label = map(theme.escaped, labels)
    color = theme.CATEGORICAL[number % len(theme.CATEGORICAL)]
    return go.Scatter(
        x=[point.x for point in points],
        y=[point.y for point in points],
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [point.high - point.y for point in points],
            "arrayminus": [point.y - point.low for point in points],
            "thickness": 1.2,
            "width": 3,
        },
        mode="markers",
        marker={"size": 10, "color": color, "symbol": SYMBOLS[number % len(SYMBOLS)]},
        name=theme.escaped(name),
        customdata=[theme.escaped(point.name) for point in points],
        hovertemplate=f"%{{customdata}}<br>{x_label} %{{x:.4f}}<br>{y_label} %{{y:.4f}}<extra></extra>",
    )
