"""A score of several settings, each over runs with different seeds: the mean, the spread, and every run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from s2s.plots import theme

CAPTION = (
    "Circles: runs with different seeds. Diamond and line: their mean and sample standard deviation. Settings whose"
    " lines overlap may differ by chance."
)
ROW = 40  # pixels per setting
NAME_WIDTHS = (60, 190)  # pixels, at least and at most
CHARACTER = 7  # pixels


@dataclass(frozen=True)
class SeedScores:
    """Scores of a setting, by a unique name: every run's, the mean and sample standard deviation (None for one)."""

    name: str
    values: tuple[float, ...]
    mean: float
    sd: float | None


def mean_spread(rows: Sequence[SeedScores], *, title: str, x_label: str) -> go.Figure:
    """A plot, one row per setting: a circle per run, and a diamond at the mean with the standard deviation."""
    if not rows:
        return theme.empty("No two runs differ only in their seed.")
    height = 110 + ROW * len(rows)
    layout = theme.layout(title, height, x_label, "") | {"showlegend": False}
    least, most = NAME_WIDTHS
    longest = max(len(row.name) for row in rows)
    layout["margin"] |= {"l": min(most, least + CHARACTER * longest)}
    layout["xaxis"] |= {"rangemode": "normal"}
    layout["yaxis"] |= {
        "title": None,
        "autorange": "reversed",
        "showgrid": False,
    }
    return go.Figure([_runs(rows, x_label), _means(rows, x_label)], layout)


def _runs(rows: Sequence[SeedScores], x_label: str) -> go.Scatter:
    return go.Scatter(
        x=[value for row in rows for value in row.values],
        y=[theme.escaped(row.name) for row in rows for _ in row.values],
        mode="markers",
        name="runs",
        marker={"size": 9, "symbol": "circle-open", "color": theme.CATEGORICAL[0]},
        hovertemplate=f"{theme.escaped(x_label)} %{{x:.4g}}<extra>one run</extra>",
    )


def _means(rows: Sequence[SeedScores], x_label: str) -> go.Scatter:
    return go.Scatter(
        x=[row.mean for row in rows],
        y=[theme.escaped(row.name) for row in rows],
        mode="markers",
        name="mean",
        marker={"size": 11, "symbol": "diamond", "color": theme.CATEGORICAL[3]},
        error_x={"type": "data", "array": [row.sd or 0.0 for row in rows], "thickness": 1.6},
        customdata=["one run" if row.sd is None else f"± {row.sd:.3g}" for row in rows],
        hovertemplate=(
            f"mean {theme.escaped(x_label)} %{{x:.4g}} %{{customdata}}<extra>"
            "mean and sample standard deviation</extra>"
        ),
    )
