"""Is attention an explanation here? How far the output moves when cross-attention weights are changed."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import partial

import numpy as np
import streamlit as st

from s2s import plots
from s2s.analysis import HeadSelection, heads
from s2s.analysis.heads import OutputShift
from s2s.config import UserError
from s2s.files import csv_writer
from s2s.questions import lenders
from s2s.runs.decoder import DecodeRequest
from s2s.runs.probes import ProbeInput
from s2s.ui.heads.probe_panel import may_ask
from s2s.ui.heads.sentence_request import SentenceRequest
from s2s.ui.kit import cached, chart, file_name, plain

EXPLANATION = (
    "Columns are predicted tokens; cells are medians over the variants of a change. At one target position at a time,"
    " the weights of that row are replaced; values and everything before stay as they are. Total variation: half the"
    " sum of the absolute differences of the next token's probabilities; 0: the output does not move, 1: it is another"
    " one altogether. Where weights move far and the output does not, these weights are no explanation of this token"
    " (Jain and Wallace 2019). Where both move, they matter to this model, which does not make them the only possible"
    " explanation (Wiegreffe and Pinter 2019)."
)


def show(asked: SentenceRequest, which: HeadSelection) -> None:
    """The question, the picture and the table."""
    name = "all heads"
    if which.layer is not None and which.head is not None:
        name = f"layer {which.layer + 1}, head {which.head + 1}"
    st.markdown(f"**Is attention an explanation here?** Cross-attention of {name}, changed:")
    requests = _requests(asked, which)
    if not may_ask(asked.run, list(requests.values()), "changed weights"):
        return
    shifts: dict[str, OutputShift] = {}
    for slug, question in requests.items():
        try:
            shifts[slug] = cached.probe(asked.run, question)
        except UserError as wrong:  # no other head, no other sentence
            st.caption(f"{heads.WEIGHT_CHANGES[slug].label}: {plain(str(wrong))}")
        except cached.PendingError as pending:
            pending.draw(f"changed weights {slug}")
    if shifts:
        _show_shifts(asked, shifts, name)


def _requests(asked: SentenceRequest, which: HeadSelection) -> dict[str, DecodeRequest]:
    chosen = {"layer": which.layer, "head": which.head} if which.layer is not None else {}
    others = lenders(asked.run, asked.text)
    return {
        slug: cached.probe_request(
            asked.run,
            "changed weights",
            ProbeInput(
                (asked.text, *(others if slug == "sentences" else ())), asked.ids, slug, chosen
            ),
        )
        for slug in heads.WEIGHT_CHANGES
    }


def _show_shifts(asked: SentenceRequest, shifts: Mapping[str, OutputShift], name: str) -> None:
    labels = [heads.WEIGHT_CHANGES[slug].label for slug in shifts]
    medians = np.array([np.median(shift.total_variation, 0) for shift in shifts.values()])
    columns = plots.numbered(asked.tgt_tokens)
    title = f"{asked.title}\ntotal variation of the output, cross-attention of {name}"
    figure = plots.signed_map(medians, labels, columns, title=title)
    with st.container(key="shift picture", gap=None):
        summary = _summary(shifts)
        alt = f"Heatmap: {title.replace(chr(10), ', ')}; {summary}"
        chart(figure, alt=alt, file_name=file_name(title))
    st.markdown(plain(summary))
    st.dataframe(
        [_line(slug, shift) for slug, shift in shifts.items()],
        hide_index=True,
        column_config={
            name: st.column_config.NumberColumn(format="%.2f")
            for name in ("weights moved", "total variation", "Jensen-Shannon (nats)")
        }
        | {"other token": st.column_config.NumberColumn(format="percent")},
        key="shifts",
        alt=title,
    )
    st.caption(EXPLANATION)
    st.download_button(
        "Download data (CSV)",
        partial(shifts_csv, shifts, columns),
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="download shifts",
    )


def _summary(shifts: Mapping[str, OutputShift]) -> str:
    """The picture in a sentence per change."""
    each = (
        f"{heads.WEIGHT_CHANGES[slug].label}: another token becomes the most probable in"
        f" {shift.is_changed.mean():.0%} of cases"
        for slug, shift in shifts.items()
    )
    return f"{'; '.join(each)}."


def _line(slug: str, shift: OutputShift) -> dict[str, object]:
    """Medians over variants and target positions."""
    row = heads.WEIGHT_CHANGES[slug]
    return {
        "change": row.label,
        "variants": len(shift.best),
        "weights moved": float(np.median(shift.weights_moved)),
        "total variation": float(np.median(shift.total_variation)),
        "Jensen-Shannon (nats)": float(np.median(shift.jensen_shannon)),
        "other token": float(shift.is_changed.mean()),
        "what is done": f"{row.about} ({row.source})",
    }


def shifts_csv(shifts: Mapping[str, OutputShift], columns: list[str]) -> str:
    """As CSV, one line per change, variant and target position."""
    out = io.StringIO()
    table = csv_writer(out)
    names = ("weights_moved", "total_variation", "jensen_shannon", "is_changed")
    table.writerow(["change", "variant", "predicts", *names])
    for slug, shift in shifts.items():
        for (variant, at), changed in np.ndenumerate(shift.is_changed):
            values = (array[variant, at] for array in (getattr(shift, name) for name in names[:3]))
            table.writerow([slug, variant + 1, columns[at], *values, bool(changed)])
    return out.getvalue()
