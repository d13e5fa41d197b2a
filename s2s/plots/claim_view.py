"""The pictures of `PaperClaim`: lines or bars, and all numbers."""

from __future__ import annotations

import plotly.graph_objects as go

from s2s.lessons import claims
from s2s.plots.bars import bars
from s2s.plots.picture import Picture
from s2s.plots.positions import LineSeries, line_chart
from s2s.plots.score_plots import SweepLine, sweep_curve
from s2s.questions import PaperClaim


def pictures(question: PaperClaim, answer: claims.Claim, model: str) -> list[Picture]:
    measured = answer.measured
    drawn = measured.picture
    table = question.table(answer)
    interval = " In brackets: the 95 % interval." * ("[" in measured.finding)
    return [
        Picture(
            "claim",
            f"{answer.title}\n{drawn.title}",
            _figure(drawn),
            f"{drawn.title}: {drawn.caption}",
            table,
            question.finding(answer),
            drawn.caption + interval,
        ),
        Picture(
            "claim numbers",
            f"{answer.title}\nall numbers",
            None,
            f"Table of {len(table.rows)} rows",
            table,
            caption=f"How it was measured: {measured.method}",
        ),
    ]


def _figure(picture: claims.Picture) -> go.Figure:
    title, x_label, y_label = picture.title, picture.x_label, picture.y_label
    if picture.bars:
        series = {one.name: one.y for one in picture.series}
        return bars(picture.bars, series, title=title, x_label=x_label)
    if picture.is_log:
        swept = [SweepLine(*one) for one in picture.series]
        return sweep_curve(swept, title=title, x_label=x_label, y_label=y_label)
    lines = [LineSeries(*one) for one in picture.series]
    return line_chart(lines, title=title, x_label=x_label, y_label=y_label)
