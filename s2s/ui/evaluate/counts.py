"""How each score of one sentence was counted, step by step."""

from __future__ import annotations

import html
from collections.abc import Iterable

import streamlit as st

from s2s.scores import METRICS, counted, edits
from s2s.scores.counted import Order

MOST = 40  # n-grams of one order that are drawn
SIGNS = {"same": "=", "substituted": "≠", "inserted": "+ missing", "deleted": "− too much"}


def panel(hypothesis: str, reference: str) -> None:
    """A tab a score."""
    shown = {
        "bleu": _bleu,
        "chrf": _chrf,
        "ter": _ter,
        "rouge_1": _rouge_1,
        "rouge_2": _rouge_2,
        "rouge_l": _rouge_l,
    }
    tabs = st.tabs([METRICS[key].label for key in shown])
    for tab, draw in zip(tabs, shown.values(), strict=True):
        with tab:
            draw(hypothesis, reference)


def _bleu(hypothesis: str, reference: str) -> None:
    found = counted.bleu(hypothesis, reference)
    st.caption(
        "Runs of one to four tokens that the reference has, too. A run counts no more often than it stands there: that is clipping."
    )
    for order, precision in zip(found.orders, found.precisions, strict=True):
        smoothed = (
            ""
            if order.n_shared
            else " (none: counted as a fraction of one, so that the product is not 0)"
        )
        _line(
            f"{_runs(order)}: {order.n_shared} of {order.n_hypothesis} shared, {precision:.1f} %{smoothed}"
        )
        _grams(order)
    ours = len(found.hypothesis)
    theirs = len(found.reference)
    short = (
        "shorter than the reference, so it is penalised"
        if found.brevity_penalty < 1
        else "not shorter than the reference: no penalty"
    )
    _line(
        f"Brevity penalty {found.brevity_penalty:.3f}: {ours} tokens, the reference has {theirs}; {short}."
    )
    _line(f"BLEU = {found.arithmetic}")
    st.caption(
        "Of a whole test set, shared runs are added up over all sentences before the percentages are taken."
    )


def _runs(order: Order) -> str:
    return "Single tokens" if order.n == 1 else f"Runs of {order.n}"


def _chrf(hypothesis: str, reference: str) -> None:
    found = counted.chrf(hypothesis, reference)
    st.caption(
        "Runs of one to six characters, blanks left out. Precision: of the translation's; recall: of the reference's."
    )
    rows = [
        {
            "characters": order.n,
            "translation": order.n_hypothesis,
            "reference": order.n_reference,
            "shared": order.n_shared,
            "precision %": round(order.precision, 1),
            "recall %": round(order.recall, 1),
        }
        for order in found.used
    ]
    st.dataframe(
        rows,
        hide_index=True,
        placeholder="",
        width="content",
        alt="Shared runs of characters by length",
    )
    _line(
        f"Means: precision {found.precision:.1f}, recall {found.recall:.1f}; recall counts twice."
    )
    _line(f"chrF = {found.arithmetic}")


def _ter(hypothesis: str, reference: str) -> None:
    found = edits.ter(hypothesis, reference)
    st.caption(
        "The edits that make the reference of the translation: a word put in, taken out or changed, or a run of words moved."
    )
    if found.shifts:
        _line("Moved: " + "; ".join(" ".join(words) for words in found.shifts))
    _chips(
        (edit.reference or edit.hypothesis, _edit(edit), edit.kind == "same")
        for edit in found.edits
    )
    _line(
        f"TER = {found.n_edits} edits for {len(found.reference)} words of the reference = {found.score:.1f}"
    )


def _edit(edit: edits.Edit) -> str:
    return f"≠ {edit.hypothesis}" if edit.kind == "substituted" else SIGNS[edit.kind]


def _rouge_1(hypothesis: str, reference: str) -> None:
    _rouge(counted.rouge(hypothesis, reference, 1), "ROUGE-1")


def _rouge_2(hypothesis: str, reference: str) -> None:
    _rouge(counted.rouge(hypothesis, reference, 2), "ROUGE-2")


def _rouge(order: Order, name: str) -> None:
    st.caption("Words in lower case; a run counts no more often than the reference has it.")
    _grams(order)
    _line(f"{order.n_shared} shared: {order.precision:.1f} % of the translation's {order.n_hypothesis}, {order.recall:.1f} %"
          f" of the reference's {order.n_reference}.")  # fmt: skip
    _line(f"{name} = their harmonic mean = {order.f1:.1f}")


def _rouge_l(hypothesis: str, reference: str) -> None:
    found = counted.rouge_l(hypothesis, reference)
    st.caption(
        "The longest row of words that stand in both, in the same order, with others between them or not."
    )
    held = set(found.in_hypothesis)
    theirs = set(found.in_reference)
    for name, words, places in (
        ("translation", found.hypothesis, held),
        ("reference", found.reference, theirs),
    ):
        _line(f"In the {name}:")
        _chips((word, "✓" if i in places else "·", i in places) for i, word in enumerate(words))
    n = len(held)
    _line(f"{n} words: {found.precision:.1f} % of the translation's {len(found.hypothesis)}, {found.recall:.1f} %"
          f" of the reference's {len(found.reference)}.")  # fmt: skip
    _line(f"ROUGE-L = their harmonic mean = {found.score:.1f}")


def _line(text: str) -> None:
    st.html(f'<p dir="auto">{html.escape(text)}</p>')


def _grams(order: Order) -> None:
    ours = [gram for gram in order.grams if gram.n_hypothesis]
    _chips((gram.text, _said(gram), bool(gram.n_shared)) for gram in ours[:MOST])
    if len(ours) > MOST:
        st.caption(f"and {len(ours) - MOST} more")


def _said(gram: counted.Gram) -> str:
    if not gram.n_shared:
        return "✗ not there"
    if gram.n_hypothesis == 1:
        return "✓"
    clipped = f", clipped from {gram.n_hypothesis}" if gram.n_shared < gram.n_hypothesis else ""
    return f"✓ × {gram.n_shared}{clipped}"


def _chips(parts: Iterable[tuple[str, str, bool]]) -> None:
    """Texts side by side; what matches has a ground and a sign."""
    ground = "color-mix(in srgb, #0072B2 25%, transparent)"
    spans = (
        f'<span style="background: {ground if is_match else "transparent"}"><b><bdi>{html.escape(text)}</bdi></b>'
        f"<small>{html.escape(said)}</small></span>"
        for text, said, is_match in parts
    )
    st.html(f'<div class="tokens">{"".join(spans)}</div>')
