"""How each score of one sentence is counted, step by step."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from functools import partial
from types import MappingProxyType

import streamlit as st

from s2s.scores import METRIC_NAMES, Scoring, breakdown, edits

MOST = 40  # n-grams of one order that are drawn
EDITS = MappingProxyType({"same": "=", "inserted": "+ missing", "deleted": "− extra"})
MATCHED = "color-mix(in srgb, #0072B2 25%, transparent)"  # background of a token that matches


def panel(hypothesis: str, reference: str, scoring: Scoring) -> None:
    panels: dict[str, Callable[[str, str], None]] = {
        "bleu": partial(_bleu, scoring=scoring),
        "chrf": partial(_chrf, scoring=scoring),
        "ter": _ter,
        "rouge_1": partial(_rouge, n=1, scoring=scoring),
        "rouge_2": partial(_rouge, n=2, scoring=scoring),
        "rouge_l": partial(_rouge_l, scoring=scoring),
    }
    tabs = st.tabs([METRIC_NAMES[key].label for key in panels])
    for tab, draw in zip(tabs, panels.values(), strict=True):
        with tab:
            draw(hypothesis, reference)


def _bleu(hypothesis: str, reference: str, scoring: Scoring) -> None:
    bleu = breakdown.bleu(hypothesis, reference, scoring)
    st.caption(
        "N-grams of one to four tokens that also occur in the reference. An n-gram counts at most as often as"
        " the reference has it: its count is clipped."
    )
    for order, precision in zip(bleu.orders, bleu.precisions, strict=True):
        _line(_precision(order, precision))
        _grams(order)
    _line(_brevity(bleu))
    _line(f"BLEU = {bleu.arithmetic}")
    st.caption(
        "For a whole test set, shared n-grams are summed over all sentences before precision is computed."
    )


def _precision(order: breakdown.NGramCounts, precision: float) -> str:
    smoothed = (
        ""
        if order.n_shared
        else " (smoothed: no match counts as a fraction, so that the product is not 0)"
    )
    return f"{order.n}-grams: {order.n_shared} of {order.n_hypothesis} shared, {precision:.3g}%{smoothed}"


def _brevity(bleu: breakdown.Bleu) -> str:
    lengths = f"{len(bleu.hypothesis)} tokens, the reference has {len(bleu.reference)}"
    is_short = bleu.brevity_penalty < 1
    why = (
        "shorter than the reference"
        if is_short
        else "not shorter than the reference, so no penalty"
    )
    return f"Brevity penalty {bleu.brevity_penalty:.3g}: {lengths}; {why}."


def _chrf(hypothesis: str, reference: str, scoring: Scoring) -> None:
    chrf = breakdown.chrf(hypothesis, reference, scoring)
    if scoring.chrf_words:
        st.caption(
            "The score above counts n-grams of words, too (chrF++); these are its characters."
        )
    st.caption(
        "Character n-grams of one to six characters, spaces ignored. Precision: percent of the translation's n-grams;"
        " recall: percent of the reference's."
    )
    rows = [
        {
            "n": order.n,
            "translation": order.n_hypothesis,
            "reference": order.n_reference,
            "shared": order.n_shared,
            "precision %": round(order.precision, 1),
            "recall %": round(order.recall, 1),
        }
        for order in chrf.used
    ]
    st.dataframe(
        rows,
        hide_index=True,
        placeholder="",
        width="content",
        alt="Shared character n-grams by length",
    )
    _line(
        f"Means: precision {chrf.precision:.3g}, recall {chrf.recall:.3g}. Recall has twice the weight."
    )
    _line(f"chrF = {chrf.arithmetic}")


def _ter(hypothesis: str, reference: str) -> None:
    ter = edits.ter(hypothesis, reference)
    st.caption(
        "The edits that turn the translation into the reference: insert, delete or substitute a word, or move a"
        " sequence of words."
    )
    if ter.shifts:
        _line("Moved: " + "; ".join(" ".join(words) for words in ter.shifts))
    _chips(
        (edit.reference or edit.hypothesis, _edit(edit), edit.kind == "same") for edit in ter.edits
    )
    _line(f"TER = {ter.n_edits} edits / {len(ter.reference)} reference words = {ter.score:.3g}%")


def _edit(edit: edits.Edit) -> str:
    return EDITS.get(edit.kind) or f"≠ {edit.hypothesis}"


def _rouge(hypothesis: str, reference: str, *, n: int, scoring: Scoring) -> None:
    order = breakdown.rouge(hypothesis, reference, n, scoring)
    st.caption("Lowercased words. An n-gram counts at most as often as the reference has it.")
    _grams(order)
    _line(
        f"{order.n_shared} shared: precision {order.precision:.3g}% (of {order.n_hypothesis} in the translation),"
        f" recall {order.recall:.3g}% (of {order.n_reference} in the reference)."
    )
    _line(f"ROUGE-{n} = F1, their harmonic mean = {order.f1:.3g}")


def _rouge_l(hypothesis: str, reference: str, *, scoring: Scoring) -> None:
    rouge = breakdown.rouge_l(hypothesis, reference, scoring)
    st.caption(
        "The longest common subsequence: words that occur in both, in the same order, other words allowed in between."
    )
    _subsequence("translation", rouge.hypothesis, rouge.in_hypothesis)
    _subsequence("reference", rouge.reference, rouge.in_reference)
    _line(
        f"{len(rouge.in_hypothesis)} words: precision {rouge.precision:.3g}% (of {len(rouge.hypothesis)} in the"
        f" translation), recall {rouge.recall:.3g}% (of {len(rouge.reference)} in the reference)."
    )
    _line(f"ROUGE-L = F1, their harmonic mean = {rouge.score:.3g}")


def _subsequence(name: str, words: tuple[str, ...], positions: tuple[int, ...]) -> None:
    _line(f"In the {name}:")
    _chips((word, "✓" if i in positions else "·", i in positions) for i, word in enumerate(words))


def _line(text: str) -> None:
    st.html(f'<p dir="auto">{html.escape(text)}</p>')


def _grams(order: breakdown.NGramCounts) -> None:
    grams = [gram for gram in order.grams if gram.n_hypothesis]
    _chips((gram.text, _matches(gram), bool(gram.n_shared)) for gram in grams[:MOST])
    if len(grams) > MOST:
        st.caption(f"and {len(grams) - MOST} more")


def _matches(gram: breakdown.NGram) -> str:
    if not gram.n_shared:
        return "✗ no match"
    if gram.n_hypothesis == 1:
        return "✓"
    clipped = f", clipped from {gram.n_hypothesis}" if gram.n_shared < gram.n_hypothesis else ""
    return f"✓ × {gram.n_shared}{clipped}"


def _chips(parts: Iterable[tuple[str, str, bool]]) -> None:
    spans = (
        f'<span style="background: {MATCHED if is_match else "transparent"}"><b><bdi>{html.escape(text)}</bdi></b>'
        f"<small>{html.escape(note)}</small></span>"
        for text, note, is_match in parts
    )
    st.html(f'<div class="tokens">{"".join(spans)}</div>')
