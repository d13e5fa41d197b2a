"""The view Attribution: what each source token contributes to each target token, beside attention."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from s2s import plots
from s2s.analysis import (
    REDUCTIONS,
    Attention,
    AttentionMap,
    HeadSelection,
    heads,
    reduced,
)
from s2s.analysis.heads import Attribution
from s2s.config import UserError
from s2s.files import csv_writer
from s2s.runs.probes import ProbeInput
from s2s.ui.heads import changed_weights
from s2s.ui.heads.probe_panel import may_ask
from s2s.ui.heads.request import HeadsRequest
from s2s.ui.heads.sentence_request import SentenceRequest, read_sentence
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import cached, chart, file_name, forms, nats, plain

ALL_HEADS = "all"
MAPS = {slug: row.label for slug, row in REDUCTIONS.items() if "cross" in row.kinds}
AGREEMENT = (
    "Rank correlation between attention and the absolute attribution, per target token, then averaged: 1 where both"
    " rank the source tokens alike, 0 where one says nothing about the other."
)


@dataclass(frozen=True)
class Shown:
    """An attribution with the sentence it is about."""

    asked: SentenceRequest
    method: str  # a row of ATTRIBUTIONS
    found: Attribution
    rows: Sequence[str]  # target tokens
    columns: Sequence[str]  # source tokens

    @property
    def title(self) -> str:
        """Two lines."""
        label = heads.ATTRIBUTIONS[self.method].label.lower()
        return f"{self.asked.title}\n{label}, nats of log-probability"


def show(request: HeadsRequest) -> None:
    """The attribution, the attention, how far they agree, and what changed weights change."""
    asked = read_sentence(request, "what each word contributes")
    if asked is None:
        return
    try:
        given = _controls(asked)
        attention = cached.attention(asked.run, asked.text, asked.ids)
        shown = _attributed(asked, given)
        which, selected = _selected(attention)
        with st.container(key="attribution"):
            if shown is not None:
                _pictures(shown, selected)
                _completeness(shown, selected)
                _agreement(shown, attention, which)
            st.divider()
        changed_weights.show(asked, which)
    except UserError as wrong:
        forms.show_error(wrong)


def _controls(asked: SentenceRequest) -> ProbeInput:
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls attribution"):
        method = STATE.segments(
            "method", "Attribution", {slug: row.label for slug, row in heads.ATTRIBUTIONS.items()}
        )
        settings: dict[str, str | int] = {}
        if method != "gradient":  # whose baseline is zero
            names = {slug: row.label for slug, row in heads.BASELINES.items()}
            settings["baseline"] = STATE.choice("baseline", "Baseline", names, width=150)
        if method == "integrated":
            settings["n_steps"] = STATE.number(
                "n_steps",
                "Steps",
                1,
                heads.MOST_STEPS,
                width=120,
                help="Points of the integral; more make the residual smaller.",
            )
    return ProbeInput((asked.text,), asked.ids, method, settings)


def _attributed(asked: SentenceRequest, given: ProbeInput) -> Shown | None:
    """None where it is not measured yet; the page says so."""
    question = cached.probe_request(asked.run, "attribution", given)
    if not may_ask(asked.run, [question], "attribution"):
        return None
    try:
        found = cached.probe(asked.run, question)
    except cached.PendingError as pending:
        pending.draw("attribution")
        return None
    rows = plots.numbered(asked.tgt_tokens)
    columns = plots.numbered(asked.src_tokens)
    return Shown(asked, given.choice, found, rows, columns)


def _selected(attention: Attention) -> tuple[HeadSelection, AttentionMap]:
    """The cross-attention that the attribution is compared with."""
    n_layers, n_heads = attention.cross.shape[:2]
    names = {ALL_HEADS: "all heads"}
    for layer in range(1, n_layers + 1):
        for head in range(1, n_heads + 1):
            names[f"{layer}.{head}"] = f"layer {layer} · head {head}"
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls attention"):
        reduction = STATE.choice("map", "Cross-attention shown as", MAPS, width=210)
        chosen = STATE.choice("one_head", "Heads", names, width=170)
    which = HeadSelection("cross")
    if chosen != ALL_HEADS:
        layer, head = (int(number) - 1 for number in chosen.split("."))
        which = HeadSelection("cross", layer, head)
    return which, reduced(attention, which, reduction)


def _pictures(shown: Shown, selected: AttentionMap) -> None:
    row = heads.ATTRIBUTIONS[shown.method]
    left, right = st.columns(2)
    with left, st.container(key="attribution picture", gap=None):
        figure = plots.signed_map(shown.found.values, shown.rows, shown.columns, title=shown.title)
        alt = f"Heatmap: {shown.title.replace(chr(10), ', ')}; {_largest(shown)}"
        chart(figure, alt=alt, file_name=file_name(shown.title))
    with right, st.container(key="attention picture", gap=None):
        title = f"{shown.asked.title}\ncross-attention · {selected.name}"
        rows, columns = plots.numbered(selected.rows), plots.numbered(selected.keys)
        figure = plots.heatmap(selected.weights, columns, rows, title=title, verb=selected.verb)
        alt = f"Heatmap of {title.replace(chr(10), ', ')}"
        chart(figure, alt=alt, file_name=file_name(title))
    st.markdown(plain(_largest(shown)))
    st.caption(
        f"Rows are target tokens, columns source tokens. {row.about} ({row.source}) {row.completeness}"
        f" {_baseline_note(shown)}"
    )
    st.download_button(
        "Download data (CSV)",
        partial(attribution_csv, shown),
        f"{file_name(shown.title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _baseline_note(shown: Shown) -> str:
    slug = "zero" if shown.method == "gradient" else STATE.now.baseline
    return f"Baseline: {heads.BASELINES[slug].about}"


def _largest(shown: Shown) -> str:
    values = shown.found.values
    row, column = divmod(int(np.abs(values).argmax()), values.shape[1])
    return (
        f"The largest: {shown.columns[column]} accounts for {nats(values[row, column])} nats of the"
        f" log-probability of {shown.rows[row]}."
    )


def _completeness(shown: Shown, selected: AttentionMap) -> None:
    """One row per target token: what the attributions sum to, what they should, and the agreement with attention."""
    found = shown.found
    agreement = heads.rank_agreement(np.abs(found.values), selected.weights)
    n_rows = len(shown.rows)
    table = pd.DataFrame(
        {
            "target token": shown.rows,
            "log-probability": found.own,
            "with the baseline": found.without,
            "difference": found.own - found.without,
            "sum of the row": found.sums,
            "residual": found.residuals,
            "Spearman": _padded(agreement.spearman, n_rows),
            "Kendall": _padded(agreement.kendall, n_rows),
        }
    )
    numbers = st.column_config.NumberColumn(format="%.2f")
    title = f"Completeness and agreement with {selected.name}"
    st.markdown(f"**{plain(title)}**")
    st.dataframe(
        table,
        hide_index=True,
        column_config=dict.fromkeys(table.columns[1:], numbers),
        key="completeness",
        alt=title,
    )
    share = np.abs(found.residuals).sum() / max(np.abs(found.own - found.without).sum(), 1e-9)
    st.markdown(
        f"Residuals are {share:.1%} of the differences, in absolute values over all target tokens."
    )


def _padded(values: np.ndarray, length: int) -> np.ndarray:
    """A map without a row for the last token has no value there."""
    return np.append(values, np.full(length - len(values), np.nan))


def _agreement(shown: Shown, attention: Attention, which: HeadSelection) -> None:
    """Every reduction of the selected heads, as one table."""
    lines = []
    for slug, label in MAPS.items():
        weights = reduced(attention, which, slug).weights
        found = heads.rank_agreement(np.abs(shown.found.values), weights)
        lines.append(
            {
                "attention": label,
                "Spearman": found.mean_spearman,
                "Kendall": found.mean_kendall,
                "target tokens": found.n,
            }
        )
    numbers = st.column_config.NumberColumn(format="%.2f")
    title = "Agreement of attribution with attention, by reduction"
    st.markdown(f"**{title}**")
    st.dataframe(
        lines,
        hide_index=True,
        column_config={"Spearman": numbers, "Kendall": numbers},
        key="agreement",
        alt=title,
    )
    st.caption(AGREEMENT)


def attribution_csv(shown: Shown) -> str:
    """As CSV: one line per target token with the attribution of each source token, then what they should sum to."""
    out = io.StringIO()
    table = csv_writer(out)
    ends = ("sum", "log_probability", "log_probability_baseline", "residual")
    table.writerow(["target", *shown.columns, *ends])
    found = shown.found
    for at, token in enumerate(shown.rows):
        last = (found.sums[at], found.own[at], found.without[at], found.residuals[at])
        table.writerow([token, *found.values[at], *last])
    return out.getvalue()
