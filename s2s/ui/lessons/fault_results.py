"""What was measured of a run with a fault, beside the healthy run: curves, numbers, outputs."""

from __future__ import annotations

import html
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.config import NO_FAULT
from s2s.demo import Measured, shipped_about, shipped_faults
from s2s.faults import FAULTS
from s2s.plots import LineSeries
from s2s.reports import TableColumn, html_table
from s2s.reports.differences import legend
from s2s.ui.kit import chart, file_name
from s2s.ui.kit.tables import frame_csv
from s2s.ui.kit.text import against_reference

BROKEN = "with the fault"
HEALTHY = "healthy"
# Fault -> the column of the results that gives it away.
SHOWN_BY = MappingProxyType(
    {
        "unshifted-labels": "exact match",
        "no-causal-mask": "BLEU",
        "no-padding-mask": "repeatable",
        "no-positions": "exact match",
        "no-scale": "validation loss",
        "no-residual": "validation loss",
        "no-end": "ended",
        "dropout-on": "test loss",
        "no-source-end": "exact match",
    }
)


def pair(fault: str) -> tuple[Measured, Measured]:
    """The results with the fault and of the healthy run beside it."""
    results = shipped_faults()
    kind = "demo" if FAULTS[fault].when == "inference" else "trained"
    return results[f"{kind} {fault}"], results[f"{kind} {NO_FAULT}"]


def task(fault: str) -> None:
    """Say what the two models were trained to do."""
    broken, _ = pair(fault)
    if broken.is_trained:
        st.caption(
            "Two small models learned to write a row of digits backwards, one with this fault and one without."
        )
    else:
        st.caption("The model `demo-en-fr` translates, once with this fault and once without.")


def curves(fault: str) -> None:
    """Draw training and validation loss of both runs, if anything was trained with the fault."""
    broken, healthy = pair(fault)
    if not broken.is_trained:
        return
    lines = [
        LineSeries(f"{kind}, {name}", steps, values)
        for name, run in ((BROKEN, broken), (HEALTHY, healthy))
        for kind, steps, values in (
            ("training", run.steps, run.loss),
            ("validation", run.valid_steps, run.valid_loss),
        )
    ]
    title = f"{_title(fault)} · loss during training"
    figure = plots.line_chart(
        lines,
        title=title,
        x_label="training step",
        y_label="loss (nats per token, log scale)",
        is_log=True,
    )
    last = f"at the end {broken.final_loss:.2f} {BROKEN}, {healthy.final_loss:.2f} {HEALTHY}"
    chart(figure, alt=f"Lines: {title}; {last}", file_name=file_name(title))
    table = pd.DataFrame(
        [
            {"run": line.name, "step": step, "loss": value}
            for line in lines
            for step, value in zip(line.x, line.y, strict=True)
        ]
    )
    st.download_button(
        "Download data (CSV)",
        partial(frame_csv, table),
        f"{file_name(title)}.csv",
        "text/csv",
        key=f"csv {title}",
        on_click="ignore",
        icon=":material/download:",
    )


def scores(fault: str) -> None:
    """Draw a table of both runs' scores."""
    broken, healthy = pair(fault)
    _table({BROKEN: broken, HEALTHY: healthy})


def every_result() -> None:
    """Draw what shows each fault, then the scores of all runs."""
    columns = (
        TableColumn("fault", "22%"),
        TableColumn("symptom", "50%"),
        TableColumn("shown by"),
    )
    rows = [
        (_text(row.title), _text(row.symptom), html.escape(_shown_by(fault)))
        for fault, row in FAULTS.items()
    ]
    st.html(html_table(columns, rows))
    _table({_name(name): one for name, one in shipped_faults().items()})


def _text(sentence: str) -> str:
    return html.escape(sentence.replace("`", ""))


def _shown_by(fault: str) -> str:
    name = SHOWN_BY[fault]
    broken, healthy = (MEASURES[name].written(_numbers(one)[name]) for one in pair(fault))
    return f"{name} {broken}, healthy {healthy}"


def _table(rows: dict[str, Measured]) -> None:
    numbers = {name: _numbers(one) for name, one in rows.items()}
    shown = [name for name in MEASURES if any(each[name] is not None for each in numbers.values())]
    columns = (TableColumn("run", "18%"), *(TableColumn(MEASURES[name].title) for name in shown))
    cells = [
        (html.escape(run), *(MEASURES[name].written(each[name]) for name in shown))
        for run, each in numbers.items()
    ]
    st.html(html_table(columns, cells, has_numbers=True))
    st.caption(
        " ".join(f"**{name[:1].upper()}{name[1:]}**: {MEASURES[name].about}" for name in shown)
    )


def _name(result: str) -> str:
    """`trained no-scale` -> `No 1/√d_k`."""
    kind, _, fault = result.partition(" ")
    if fault in FAULTS:
        return _title(fault)
    return "healthy demo-en-fr" if kind == "demo" else HEALTHY


def _title(fault: str) -> str:
    return FAULTS[fault].title.replace("`", "")


def _numbers(one: Measured) -> dict[str, float | None]:
    outcome = one.outcome
    return {
        "training loss": one.final_loss,
        "validation loss": one.valid_loss[-1] if one.valid_loss else None,
        "test loss": outcome.loss,
        "exact match": outcome.exact_match,
        "BLEU": outcome.bleu,
        "ended": outcome.ended,
        "repeatable": outcome.repeatable,
    }


class Measure(NamedTuple):
    """How a number of the results is shown."""

    title: str
    form: str
    about: str

    def written(self, value: float | None) -> str:
        """`0.93548` -> `93.5%`."""
        return "–" if value is None else self.form.format(value)


MEASURES = MappingProxyType(
    {
        "training loss": Measure(
            "training loss (nats per token)", "{:.3g}", "mean of the last 20 training steps."
        ),
        "validation loss": Measure(
            "validation loss (nats per token)", "{:.3g}", "on held-out pairs, during training."
        ),
        "test loss": Measure(
            "test loss (nats per token)",
            "{:.3g}",
            "of the references, by the model as it translates: a fault of training alone no longer acts.",
        ),
        "exact match": Measure("exact match", "{:.1%}", "translations that equal the reference."),
        "BLEU": Measure(
            "BLEU (0 to 100)",
            "{:.1f}",
            "of translations of held-out sentences.",
        ),
        "ended": Measure("ended", "{:.0%}", "translations that end before the limit."),
        "repeatable": Measure(
            "repeatable",
            "{:.0%}",
            "sentences with the same translation alone and in a batch with others.",
        ),
    }
)


def outputs(fault: str) -> None:
    """A few test sentences, as both translate them."""
    broken, healthy = pair(fault)
    both = zip(broken.outcome.outputs, healthy.outcome.outputs, strict=True)
    rows = [
        (
            html.escape(source),
            against_reference(text, reference),
            against_reference(other, reference),
            html.escape(reference),
        )
        for (source, reference, text), (_, _, other) in both
    ]
    columns = [TableColumn(name) for name in ("source", BROKEN, HEALTHY, "reference")]
    st.html(f"{html_table(columns, rows)}{legend('a translation', 'its reference')}")


def provenance() -> None:
    """When, where and how it was measured."""
    about = shipped_about()
    st.caption(
        f"Measured on {str(about['date'])[:10]}, {about['machine']}: one run per fault with the same recipe and seed,"
        f" greedy translations of {about['n_test']} test sentences, {about['n_alone']} of them also one by one."
    )
