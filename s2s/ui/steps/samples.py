"""The samples of Steps: their pairwise utilities under minimum Bayes risk decoding, and why one of them won."""

from __future__ import annotations

import io
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from s2s import plots
from s2s.decode import MBR, Utilities, utilities
from s2s.files import csv_writer
from s2s.plots import Floats
from s2s.ui.kit import cached, captions, chart, file_name, nats, plain
from s2s.ui.steps.request import StepsRequest, search_with

METRIC_NAMES = {"chrf": "chrF", "bleu": "BLEU"}


class SampleRow(NamedTuple):
    """A distinct sample."""

    text: str
    times: int  # drawn
    expected: float  # mean utility against all samples, 0 to 100
    log_prob: float  # the model's own, nats


def show(request: StepsRequest) -> None:
    """The matrix, the winner and the texts; for another strategy, how to get there."""
    _, config = request.run.configured(request.strategy, request.settings)
    if not isinstance(config, MBR):
        _offer_mbr()
        return
    rows, pairs = compared(request, config)
    metric = METRIC_NAMES[config.utility]
    captions.show_translation(request.found)
    with st.container(border=True, key="utility"):
        with st.container(key="samples verdict"):  # a lesson hides it where it asks for this
            st.markdown(_explanation(rows, metric))
        st.caption(plots.PLOTS["utility"].caption)
        _matrix(request, rows, pairs, metric)
    with st.container(border=True):
        _texts(rows, metric)


def _offer_mbr() -> None:
    st.info(
        "Minimum Bayes risk decoding draws many translations and returns the one that is most similar to all of them."
        " This view shows how similar they are.",
        icon=":material/grid_view:",
    )
    st.button(
        "Use MBR",
        icon=":material/casino:",
        on_click=search_with,
        args=("mbr",),
        type="primary",
        key="use mbr",
    )


def _matrix(request: StepsRequest, rows: list[SampleRow], pairs: Floats, metric: str) -> None:
    run = request.run
    n_drawn = [row.times for row in rows]
    title = f"{cached.model_name(run)}\n{metric} of {sum(n_drawn)} samples (mbr)"
    figure = plots.utility(
        pairs, [row.expected for row in rows], n_drawn, title=title, measure=metric
    )
    chart(
        figure,
        alt=f"Heatmap of {title.replace(chr(10), ', ')}; {_best_means(rows, metric)}",
        file_name=file_name(title),
    )
    st.download_button(
        "Download data (CSV)",
        partial(table_csv, rows, pairs),
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="samples csv",
    )


def compared(request: StepsRequest, config: MBR) -> tuple[list[SampleRow], Floats]:
    """The distinct samples and their pairwise utilities, the highest expected utility first."""
    run = request.run
    tree = cached.search_tree(run, request.found, request.strategy, request.settings)
    texts = {number: run.tgt_tokenizer.decode(tree.ids(number)) for number in tree.finished}
    drawn = [texts[number] for number in tree.finished for _ in range(tree.nodes[number].count)]
    log_probs: dict[str, float] = {}
    for number, text in texts.items():
        log_probs[text] = max(tree.nodes[number].log_prob, log_probs.get(text, -np.inf))
    return ranked(_utilities(tuple(drawn), config.utility), log_probs)


@cached.shared(max_entries=16, show_spinner=False)  # a third of a second for 100 long samples
def _utilities(texts: tuple[str, ...], utility: str) -> Utilities:
    return utilities(texts, utility)


def ranked(found: Utilities, log_probs: dict[str, float]) -> tuple[list[SampleRow], Floats]:
    """Best first; of equals the more probable, as decoding does."""
    rows = [
        SampleRow(text, count, found.expected[text], log_probs[text])
        for text, count in found.counts.items()
    ]
    order = sorted(range(len(rows)), key=lambda i: (-rows[i].expected, -rows[i].log_prob))
    return [rows[i] for i in order], found.pairs[np.ix_(order, order)]


def _explanation(rows: list[SampleRow], metric: str) -> str:
    """Why the first sample won, and whether the model finds another more probable."""
    n = sum(row.times for row in rows)
    if n == 1:
        return "There is one sample."
    if len(rows) == 1:
        return (
            f":material/trophy: All {n} samples are the same text, so there is nothing to choose."
        )
    first = rows[0]
    text = f"*{plain(first.text)}*" if first.text else "(nothing)"
    won = f":material/trophy: Sample 1, {text}, won because it is most similar to all {n}: {_best_means(rows, metric)}."
    most_probable = max(range(len(rows)), key=lambda i: rows[i].log_prob)
    if most_probable == 0:
        return f"{won} It is also the one that the model finds most probable."
    log_probs = f"{nats(rows[most_probable].log_prob)} against {nats(first.log_prob)} nats"
    return f"{won} The model finds sample {most_probable + 1} more probable ({log_probs})."


def _best_means(rows: list[SampleRow], metric: str) -> str:
    """`mean chrF 71.2, the next has 69.8`."""
    following = f", the next has {rows[1].expected:.1f}" if len(rows) > 1 else ""
    return f"mean {metric} {rows[0].expected:.1f}{following}"


def _texts(rows: list[SampleRow], metric: str) -> None:
    """The texts of the samples."""
    st.subheader("The samples", anchor=False)
    mean = f"mean {metric}"
    columns = ("sample", "text", "times drawn", mean, "log-probability")
    cells = [(number, row.text or "(nothing)", *row[1:]) for number, row in enumerate(rows, 1)]
    st.dataframe(
        [dict(zip(columns, row, strict=True)) for row in cells],
        hide_index=True,
        column_config={
            "sample": st.column_config.NumberColumn(width=60),
            "text": st.column_config.TextColumn(width="large"),
            mean: st.column_config.NumberColumn(
                format="%.2f", help="Against all samples, itself included, 0 to 100."
            ),
            "log-probability": st.column_config.NumberColumn(
                format="%.3f", help="The model's own, nats."
            ),
        },
        key="samples table",
        alt=f"{len(rows)} distinct samples",
    )


def table_csv(rows: list[SampleRow], pairs: Floats) -> str:
    """One line per distinct sample: text, count, mean, log-probability, and its utility against each sample."""
    out = io.StringIO()
    lines = csv_writer(out)
    numbers = [f"beside_{number}" for number in range(1, len(rows) + 1)]
    lines.writerow(["sample", "text", "times_drawn", "mean", "log_prob", *numbers])
    for number, (row, values) in enumerate(zip(rows, pairs, strict=True), 1):
        cells = [
            number,
            row.text,
            row.times,
            row.expected,
            row.log_prob,
        ]
        lines.writerow([*cells, *values])
    return out.getvalue()
