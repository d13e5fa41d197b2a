"""The view Patching: which states and heads carry the difference between two sources."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st
from torch import Tensor

from s2s import plots
from s2s.analysis import Floats, heads
from s2s.analysis.heads import PatchingResult
from s2s.config import UserError
from s2s.files import csv_writer
from s2s.links.share import printable
from s2s.runs import Run, probes
from s2s.runs.probes import ProbeInput
from s2s.ui.heads.minimal_pairs import partner
from s2s.ui.heads.probe_panel import may_ask
from s2s.ui.heads.request import HeadsRequest
from s2s.ui.heads.sentence_request import SentenceRequest, read_sentence
from s2s.ui.heads.signed_map import signed_map
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import cached, chart, file_name, forms, nats, plain, unique_names
from s2s.ui.kit.sentence import MAX_CHARACTERS, other_source

CANDIDATES = 5  # most probable tokens of each run that are offered
SOURCES = "Vig et al. 2020; Meng et al. 2022; the metric: Zhang and Nanda 2024"
CAVEAT = (
    "Where the sources differ, a column names the token of A and that of B. A small effect of one head may mean that"
    " others do the same. Effects of different cells need not sum to 1, and some exceed 1 or fall below 0."
)


class Metric(NamedTuple):
    """The position that is measured, from 0, and the two tokens."""

    position: int
    token_a: int
    token_b: int


class Axes(NamedTuple):
    """The names of the rows and columns of a result."""

    rows: list[str]
    columns: list[str]
    label: str  # of the columns


def show(request: HeadsRequest) -> None:
    """Two sources, what is patched, the picture and its numbers."""
    asked = read_sentence(request, "what carries the difference between two sentences")
    if asked is None:
        return
    second = _second(asked)
    if not second:
        st.info(
            "Type source B: the same sentence with another word, and as many tokens.",
            icon=":material/edit:",
        )
        return
    try:
        probes.check_sources(asked.run, asked.text, second)
        metric = _metric(asked, second)
        if metric is not None:
            _show_effects(asked, second, metric)
    except UserError as wrong:
        forms.show_error(wrong)


def _second(asked: SentenceRequest) -> str:
    """Source B: typed, or one that differs from A in as few tokens as possible."""
    default = partner(asked.run, asked.vocabulary, asked.text)
    typed = STATE.text(
        "second",
        "Source B, compared with the sentence above, source A",
        placeholder=default,
        icon=":material/compare_arrows:",
        help="Source A with another word. Empty: a sentence that differs in few words.",
    )
    second = " ".join(printable(typed).split())[:MAX_CHARACTERS] or default
    other_source(asked.run, asked.vocabulary, second, "In source B")
    return second


def _metric(asked: SentenceRequest, second: str) -> Metric | None:
    """The controls of the metric. None, with a hint, where both runs prefer the same tokens."""
    rows_a, rows_b = (
        cached.next_tokens(asked.run, text, asked.ids[:-1]) for text in (asked.text, second)
    )
    first = probes.first_disagreement(rows_a, rows_b)
    if first is None:
        st.info(
            "After every prefix of this target, both sources make the model prefer the same token, so there is nothing"
            " to measure; change source B or the target.",
            icon=":material/equal:",
        )
        return None
    run = asked.run
    STATE.belongs_to("contrast", run.key, asked.text, asked.target, second)
    with st.container(horizontal=True, vertical_alignment="bottom", key="controls metric"):
        names = {str(at + 1): f"{at + 1} · {name}" for at, name in enumerate(asked.tgt_tokens)}
        at = int(STATE.choice("at", "Target position", names, default=str(first + 1), width=190))
        STATE.belongs_to("position", run.key, asked.text, asked.target, second, at)
        options = _candidates(asked, rows_a[at - 1], rows_b[at - 1])
        best_a, best_b = (_best(rows[at - 1]) for rows in (rows_a, rows_b))
        token_a = STATE.choice("token_a", "Token of A", options, default=str(best_a), width=190)
        token_b = STATE.choice("token_b", "Token of B", options, default=str(best_b), width=190)
    if token_a == token_b:
        st.info(
            "Both tokens are the same, so their difference is always 0; choose two.",
            icon=":material/equal:",
        )
        return None
    return Metric(at - 1, int(token_a), int(token_b))


def _best(row: Tensor) -> int:
    return int(row.argmax())


def _candidates(asked: SentenceRequest, row_a: Tensor, row_b: Tensor) -> Mapping[str, str]:
    """The most probable tokens of both runs, by id."""
    ids = [*row_a.topk(CANDIDATES).indices.tolist(), *row_b.topk(CANDIDATES).indices.tolist()]
    distinct = list(dict.fromkeys(ids))
    names = asked.run.tgt_tokenizer.tokens(distinct)
    return unique_names({str(id): name for id, name in zip(distinct, names, strict=True)})


def _show_effects(asked: SentenceRequest, second: str, metric: Metric) -> None:
    run = asked.run
    labels = {slug: row.label for slug, row in heads.PATCHES.items()}
    kind = STATE.segments("patch", "Patched", labels)
    given = ProbeInput(
        (asked.text, second),
        asked.ids[: metric.position],
        kind,
        {"token_a": metric.token_a, "token_b": metric.token_b},
    )
    question = cached.probe_request(run, "patching", given)
    if not may_ask(run, [question], "patches"):
        return
    try:
        result: PatchingResult = cached.probe(run, question)
    except cached.PendingError as pending:
        pending.draw("patching")
        return
    st.markdown(_metric_sentence(asked, metric, result))
    if not result.is_measurable:
        st.info(
            f"The two runs differ by less than {heads.MIN_DIFFERENCE} nats in this metric: too little to be divided by."
            " Choose other tokens or another position.",
            icon=":material/equal:",
        )
        return
    _show_picture(asked, second, given, result)


def _start(run: Run) -> str:
    """The decoder's first input: `<s>`, or as published models have it, `<pad>`, `</s>` or a language."""
    return run.tgt_tokenizer.tokens([run.recipe.model.ids.start])[0]


def _metric_sentence(asked: SentenceRequest, metric: Metric, result: PatchingResult) -> str:
    a, b = map(plain, asked.run.tgt_tokenizer.tokens([metric.token_a, metric.token_b]))
    prefix = plain(" ".join([_start(asked.run), *asked.tgt_tokens[: metric.position]]))
    return (
        f"Metric: *m* = logit of *{a}* minus logit of *{b}* after *{prefix}*, which is also the difference of their"
        f" log-probabilities. Run on A: {nats(result.own_a)} nats; run on B: {nats(result.own_b)}."
        " Effect = (*m* of B with the patch − *m* of B) / (*m* of A − *m* of B): 0 as the run on B, 1 as the run on A."
    )


def _show_picture(
    asked: SentenceRequest, second: str, given: ProbeInput, result: PatchingResult
) -> None:
    row = heads.PATCHES[given.choice]
    axes = _axes(asked, second, given, result.patched.shape)
    tokens = asked.run.tgt_tokenizer.tokens([*given.settings.values()])
    name = f"{asked.title} · {row.label.lower()}"
    title = f"{name}\neffect on {' − '.join(tokens)}, by layer and {axes.label}"
    effects = result.effects
    figure = signed_map(effects, axes.rows, axes.columns, title=title)
    with st.container(key="patching picture", gap=None):
        largest = _largest_sentence(effects, axes)
        alt = f"Heatmap: {title.replace(chr(10), ', ')}; {largest}"
        chart(figure, alt=alt, file_name=file_name(title))
    st.markdown(plain(largest))
    st.caption(f"{row.about} {CAVEAT} ({SOURCES})")
    st.download_button(
        "Download data (CSV)",
        partial(patching_csv, result, axes),
        f"{file_name(title)}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _axes(asked: SentenceRequest, second: str, given: ProbeInput, shape: Sequence[int]) -> Axes:
    """Layers by positions, or layers by heads."""
    n_rows, n_columns = shape
    if not heads.PATCHES[given.choice].is_state:
        rows = [f"layer {layer}" for layer in range(1, n_rows + 1)]
        return Axes(rows, [f"head {head}" for head in range(1, n_columns + 1)], "head")
    rows = ["embeddings", *(f"layer {layer}" for layer in range(1, n_rows))]
    if given.choice == "decoder":
        columns = [_start(asked.run), *asked.tgt_tokens[: n_columns - 1]]
        return Axes(rows, plots.numbered(columns), "prefix position")
    run = asked.run
    pairs = zip(
        asked.src_tokens, run.src_tokenizer.tokens(probes.source_ids(run, second)), strict=True
    )
    columns = [a if a == b else f"{a} | {b}" for a, b in pairs]
    return Axes(rows, plots.numbered(columns), "source position")


def _largest_sentence(effects: Floats, axes: Axes) -> str:
    row, column = divmod(int(np.abs(effects).argmax()), effects.shape[1])
    value = f"{effects[row, column]:.2f}".replace("-", "−")
    return f"The largest effect is {value}: {axes.rows[row]}, {axes.columns[column]}."


def patching_csv(result: PatchingResult, axes: Axes) -> str:
    """As CSV, one line per patch; both runs' own differences in every line."""
    out = io.StringIO()
    table = csv_writer(out)
    table.writerow(["layer", axes.label, "effect", "difference", "own_a", "own_b"])
    effects = result.effects
    for (row, column), value in np.ndenumerate(result.patched):
        own = (result.own_a, result.own_b)
        table.writerow([axes.rows[row], axes.columns[column], effects[row, column], value, *own])
    return out.getvalue()
