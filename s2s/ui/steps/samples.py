"""The samples of Steps: how alike they are by minimum Bayes risk decoding's utility, and why one of them won."""

from __future__ import annotations

import csv
import io
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from s2s import plots
from s2s.decode import MBR, Utilities, utilities
from s2s.plots import Floats
from s2s.ui.kit import cached, captions
from s2s.ui.kit.captions import file_name, nats
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import plain
from s2s.ui.steps import request
from s2s.ui.steps.request import Asked

NAMES = {"chrf": "chrF", "bleu": "BLEU"}


class Row(NamedTuple):
    """A distinct sample."""

    text: str
    times: int  # drawn
    expected: float  # mean utility beside all samples, 0 to 100
    log_prob: float  # the model's own, nats


def show(asked: Asked) -> None:
    """The matrix, the winner and the texts; where samples are not compared, how to have them compared."""
    _, config = asked.run.configured(asked.strategy, asked.settings)
    if not isinstance(config, MBR):
        st.info(
            "Minimum Bayes risk decoding draws many translations and returns the one that is most like all of them."
            " This view shows how alike they are.",
            icon=":material/grid_view:",
        )
        st.button(
            "Use MBR",
            icon=":material/casino:",
            on_click=request.search_with,
            args=("mbr",),
            type="primary",
            key="use mbr",
        )
        return
    rows, pairs = compared(asked, config)
    measure = NAMES[config.utility]
    captions.show_translation(asked.found)
    with st.container(border=True, key="utility"):
        st.markdown(_why(rows, measure))
        st.caption(plots.PLOTS["utility"].caption)
        drawn = [row.times for row in rows]
        title = f"{cached.title(asked.run.folder.id)} · step {asked.run.step:,}\n{measure} of {sum(drawn)} samples (mbr)"
        figure = plots.utility(
            pairs, [row.expected for row in rows], drawn, title=title, measure=measure
        )
        chart(
            figure,
            alt=f"Heatmap of {title.replace(chr(10), ', ')}; {_said(rows, measure)}",
            file_name=file_name(title),
        )
        make = partial(table, rows, pairs)
        file = f"{file_name(title)}.csv"
        st.download_button(
            "Numbers (CSV)",
            make,
            file,
            "text/csv",
            on_click="ignore",
            icon=":material/download:",
            key="samples csv",
        )
    with st.container(border=True):
        _texts(rows, measure)


def compared(asked: Asked, config: MBR) -> tuple[list[Row], Floats]:
    """The distinct samples and their pairs, the highest expected utility first."""
    tree = cached.search_tree(asked.run, asked.found, asked.strategy, asked.settings)
    texts = {number: asked.run.tgt_tokenizer.decode(tree.ids(number)) for number in tree.finished}
    drawn = [texts[number] for number in tree.finished for _ in range(tree.nodes[number].count)]
    log_probs: dict[str, float] = {}
    for number in tree.finished:
        log_probs[texts[number]] = max(
            tree.nodes[number].log_prob, log_probs.get(texts[number], -np.inf)
        )
    return ranked(utilities(drawn, config.utility), log_probs)


def ranked(found: Utilities, log_probs: dict[str, float]) -> tuple[list[Row], Floats]:
    """Best first; of equal ones the more probable, as decoding has it."""
    expected = found.expected
    rows = [
        Row(text, count, expected[text], log_probs[text]) for text, count in found.counts.items()
    ]
    order = sorted(
        range(len(rows)), key=lambda place: (-rows[place].expected, -rows[place].log_prob)
    )
    return [rows[place] for place in order], found.pairs[np.ix_(order, order)]


def _why(rows: list[Row], measure: str) -> str:
    """One sentence, or two where the winner is not what the model finds most probable."""
    n = sum(row.times for row in rows)
    first = rows[0]
    if len(rows) == 1:
        return (
            f":material/trophy: All {n} samples are the same text, so there is nothing to choose."
            if n > 1
            else "There is one sample."
        )
    text = f"*{plain(first.text)}*" if first.text else "(nothing)"
    won = f":material/trophy: Sample 1, {text}, won because it is most like all {n}: {_said(rows, measure)}."
    likeliest = max(range(len(rows)), key=lambda place: rows[place].log_prob)
    if not likeliest:
        return f"{won} It is also the one that the model finds most probable."
    against = f"{nats(rows[likeliest].log_prob)} against {nats(first.log_prob)} nats"
    return f"{won} The model finds sample {likeliest + 1} more probable ({against})."


def _said(rows: list[Row], measure: str) -> str:
    """`mean chrF 71.2, the next has 69.8`."""
    following = f", the next has {rows[1].expected:.1f}" if len(rows) > 1 else ""
    return f"mean {measure} {rows[0].expected:.1f}{following}"


def _texts(rows: list[Row], measure: str) -> None:
    """What the numbers in the picture stand for."""
    st.subheader("The samples", anchor=False)
    names = ("sample", "text", "times drawn", f"mean {measure}", "log-probability")
    cells = [(number, row.text or "(nothing)", *row[1:]) for number, row in enumerate(rows, 1)]
    shown = [dict(zip(names, each, strict=True)) for each in cells]
    look = {
        "sample": st.column_config.NumberColumn(width=60),
        "text": st.column_config.TextColumn(width="large"),
        f"mean {measure}": st.column_config.NumberColumn(
            format="%.2f", help="Beside all samples, itself among them, 0 to 100."
        ),
        "log-probability": st.column_config.NumberColumn(
            format="%.3f", help="The model's own, nats."
        ),
    }
    st.dataframe(
        shown,
        hide_index=True,
        column_config=look,
        key="samples table",
        alt=f"{len(rows)} different samples",
    )


def table(rows: list[Row], pairs: Floats) -> str:
    """One row a distinct sample: its text, count, mean, log-probability, and its utility beside each."""
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    numbers = [f"beside_{number}" for number in range(1, len(rows) + 1)]
    lines.writerow(["sample", "text", "times_drawn", "mean", "log_prob", *numbers])
    for number, (row, values) in enumerate(zip(rows, pairs, strict=True), 1):
        own = [
            number,
            plots.csv_cell(row.text),
            row.times,
            f"{row.expected:.6f}",
            f"{row.log_prob:.6f}",
        ]
        lines.writerow([*own, *(f"{value:.6f}" for value in values)])
    return out.getvalue()
