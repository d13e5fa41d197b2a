"""One score of the sentences against another, such as chrF against human ratings, and how far the two agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from s2s import plots
from s2s.analysis import SentenceRow, correlation
from s2s.runs import Evaluation
from s2s.scores import METRIC_NAMES, METRICS
from s2s.ui.evaluate.view_state import STATE, numbered
from s2s.ui.kit import chart, file_name, shortened
from s2s.words import MetricName

LOG_PROB = "log_prob"


def panel(
    evaluation: Evaluation,
    every: Sequence[Sequence[SentenceRow]],
    more: Sequence[MetricName],
) -> None:
    """The choice of a system and two scores, their plot, correlations, and a download. `more`: the metrics of files."""
    names = numbered(evaluation.systems)
    with st.expander("One score against another", icon=":material/scatter_plot:"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            number = STATE.choice(
                "points_of", "System of the points", names, default="1", width=220
            )
            ours = int(number) - 1
            rows = every[ours]
            offered = _offered(rows, more)
            labels = {key: name.label for key, name in offered.items()}
            x = offered[STATE.choice("across", "Across", labels, width=180)]
            y = offered[STATE.choice("up", "Up", labels, default=[*offered][-1], width=180)]
        _plot(evaluation, names[number], rows, x, y)


def _offered(rows: Sequence[SentenceRow], more: Sequence[MetricName]) -> Mapping[str, MetricName]:
    """The scores that every sentence of a system has."""
    known = [METRIC_NAMES[key] for key in METRICS]
    if all(row.log_prob is not None for row in rows):
        known.append(METRIC_NAMES[LOG_PROB])
    given = [name for name in more if all(name.key in row.scores for row in rows)]
    return {name.key: name for name in (*known, *given)}


def _value(row: SentenceRow, key: str) -> float:
    return row.log_prob or 0.0 if key == LOG_PROB else row.scores[key]


def _plot(
    evaluation: Evaluation,
    system: str,
    rows: Sequence[SentenceRow],
    x: MetricName,
    y: MetricName,
) -> None:
    across, up = ([_value(row, name.key) for row in rows] for name in (x, y))
    what = f"{y.label} and {x.label}"
    title = f"{shortened(system, 40)} · {shortened(evaluation.test.name, 30)}\n{what} · {len(rows):,} sentences"
    figure = plots.sentence_scores(
        across,
        up,
        [row.source for row in rows],
        title=title,
        x_label=_label(x),
        y_label=_label(y),
    )
    found = correlation(across, up)
    agreement = (
        f"Pearson correlation {found.pearson:.3f}, Spearman rank correlation {found.spearman:.3f}."
        if found
        else "There is no correlation to compute: fewer than three sentences, or all have one value."
    )
    chart(figure, alt=f"{what} of {len(rows)} sentences. {agreement}", file_name=file_name(title))
    many = (
        f" {plots.MOST_POINTS:,} of {len(rows):,} sentences are drawn; the correlations are of all."
        if len(rows) > plots.MOST_POINTS
        else ""
    )
    st.caption(f"{agreement}{many} {plots.PLOTS['sentence_scores'].caption}")
    columns: dict[str, list[float]] = {
        "number": [row.number for row in rows],
        x.key: across,
        y.key: up,
    }
    st.download_button(
        "Download data (CSV)",
        plots.columns_csv(columns),
        f"{file_name(what)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="csv scatter",
    )


def _label(name: MetricName) -> str:
    return f"{name.label} ({name.unit})" if name.unit else name.label
