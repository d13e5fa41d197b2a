"""What was measured of a run with a fault, beside the healthy run: curves, numbers, outputs."""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from s2s import plots
from s2s.config import NO_FAULT
from s2s.demo import Measured, shipped_about, shipped_faults
from s2s.faults import FAULTS
from s2s.plots import LineSeries
from s2s.ui.kit import chart, file_name
from s2s.ui.kit.differences import against_reference, legend
from s2s.ui.kit.tables import frame_csv

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
    }
)


def pair(fault: str) -> tuple[Measured, Measured]:
    """With the fault, and the healthy run that it is compared with."""
    results = shipped_faults()
    kind = "demo" if FAULTS[fault].when == "inference" else "trained"
    return results[f"{kind} {fault}"], results[f"{kind} {NO_FAULT}"]


def curves(fault: str, number: int) -> None:
    """Training and validation loss of both runs; nothing was trained with a fault that acts at inference only."""
    broken, healthy = pair(fault)
    if not broken.is_trained:
        st.caption("Nothing was trained with this fault: the healthy run `demo-en-fr` translates.")
        return
    lines = [
        LineSeries(f"{kind}, {name}", steps, values)
        for name, run in ((BROKEN, broken), (HEALTHY, healthy))
        for kind, steps, values in (
            ("training", run.steps, run.loss),
            ("validation", run.valid_steps, run.valid_loss),
        )
    ]
    title = f"Fault {number} · loss during training"
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
    """The numbers of both, a row each."""
    broken, healthy = pair(fault)
    _table({BROKEN: broken, HEALTHY: healthy}, "Losses and scores with the fault and without it")


def every_result() -> None:
    """The runs that were trained, then the demo that was looked at."""
    results = shipped_faults()
    numbers = _frame({_name(name): one for name, one in results.items()})
    faults = {_name(name): name.partition(" ")[2] for name in results}
    about = {
        "shown by": [_shown_by(fault) if fault in FAULTS else "" for fault in faults.values()],
        "symptom": [
            FAULTS[fault].symptom.replace("`", "") if fault in FAULTS else ""
            for fault in faults.values()
        ],
    }
    table = pd.DataFrame(about, index=list(faults)).join(numbers)
    alt = "What shows each fault, its symptom, and its losses and scores"
    st.dataframe(table, column_config=COLUMNS, placeholder="–", alt=alt)


def _shown_by(fault: str) -> str:
    """The number that gives the fault away, beside that of the healthy run: `BLEU 0.7, healthy 97.0`."""
    name = SHOWN_BY[fault]
    broken, healthy = (_numbers(one)[name] or 0.0 for one in pair(fault))
    form = {"BLEU": "{:.1f}", "exact match": "{:.1%}", "ended": "{:.0%}", "repeatable": "{:.0%}"}
    written = form.get(name, "{:.2f}")
    return f"{name} {written.format(broken)}, healthy {written.format(healthy)}"


def _table(rows: dict[str, Measured], alt: str) -> None:
    st.dataframe(_frame(rows), column_config=COLUMNS, placeholder="–", alt=alt)


def _frame(rows: dict[str, Measured]) -> pd.DataFrame:
    """Columns without any number are left out."""
    frame = pd.DataFrame.from_dict(
        {name: _numbers(one) for name, one in rows.items()}, orient="index"
    )
    return frame.dropna(axis="columns", how="all")


def _name(result: str) -> str:
    """`trained no-scale` -> `No 1/√d_k`."""
    kind, _, fault = result.partition(" ")
    if fault in FAULTS:
        return FAULTS[fault].title.replace("`", "")
    return "healthy demo-en-fr" if kind == "demo" else HEALTHY


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


def _column(form: str, help: str) -> Any:
    return st.column_config.NumberColumn(width=95, format=form, help=help)


COLUMNS = MappingProxyType(
    {
        "training loss": _column("%.3f", "Nats per token, mean of the last 20 training steps."),
        "validation loss": _column("%.3f", "Nats per token on held-out pairs, during training."),
        "test loss": _column(
            "%.3f", "Nats per token of the references, after the run was opened like any other."
        ),
        "exact match": _column("percent", "Translations that equal the reference."),
        "BLEU": _column(
            "%.1f",
            "0 to 100, of held-out sentences like those of training: the split test, for the demo random.",
        ),
        "ended": _column("percent", "Translations that end before the limit."),
        "repeatable": _column(
            "percent", "Sentences with the same translation alone and in a batch with others."
        ),
    }
)


def outputs(fault: str) -> None:
    """A few test sentences, as both translate them."""
    broken, healthy = pair(fault)
    names = ("source", BROKEN, HEALTHY, "reference")
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    both = zip(broken.outcome.outputs, healthy.outcome.outputs, strict=True)
    rows = "".join(
        _row(
            names,
            (
                html.escape(source),
                against_reference(text, reference),
                against_reference(other, reference),
                html.escape(reference),
            ),
        )
        for (source, reference, text), (_, _, other) in both
    )
    note = legend("a translation", "its reference")
    st.html(f'<div class="samples"><table><tr>{head}</tr>{rows}</table>{note}</div>')


def _row(names: Sequence[str], cells: Sequence[str]) -> str:
    """Each cell names its column: on a phone the cells stand one below the other."""
    pairs = zip(names, cells, strict=True)
    columns = (f'<td dir="auto" data-of="{name}">{cell}</td>' for name, cell in pairs)
    return f"<tr>{''.join(columns)}</tr>"


def provenance() -> None:
    """When, where and how it was measured."""
    about = shipped_about()
    st.caption(
        f"Measured on {str(about['date'])[:10]}, {about['machine']}: one run per fault with the same recipe and seed,"
        f" greedy translations of {about['n_test']} test sentences, {about['n_alone']} of them also one by one."
        f" `{about['command']}` measures it again."
    )
