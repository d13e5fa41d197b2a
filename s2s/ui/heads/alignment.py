"""The view Alignment: how well the links of every cross-attention head match gold links, or each other."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from s2s.data import Pair
from s2s.jobs import head_samples
from s2s.links import share
from s2s.questions import AlignmentError, GoldOf, HeadAlignment
from s2s.runs import Sentences, measurements
from s2s.ui.heads import alignment_files
from s2s.ui.heads.experiment_panel import measured
from s2s.ui.heads.page import HeadsPage, HeadsSample, sample
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import cached, lessons_run, show_all
from s2s.ui.kit.text import definitions
from s2s.ui.shell import page_link


def show_view(page: HeadsPage) -> None:
    """Draw the AER of every head where gold links are known, else how far each two heads agree."""
    with page.row:
        links = definitions("symmetrization", "sure and possible links")
        STATE.draw("links", label_visibility="collapsed", width=230, help=links)
    chosen = sample(page)
    place = st.container()
    lessons_run.show_without_gold(chosen.run)
    uploaded = alignment_files.uploaded()
    if uploaded is None:  # why is said there; no other sentences are measured in their place
        return
    with place:
        _show(chosen, uploaded)


def _show(chosen: HeadsSample, uploaded: Sequence[Pair]) -> None:
    question = STATE.question(AlignmentError, **chosen.asked)
    if uploaded:
        st.caption(
            f"Measured over your own {len(uploaded):,} sentences; remove the files to choose a dataset. They stay in"
            " this visit only, and no link has them."
        )
        lines = map(head_samples.to_json, uploaded)
        own = measurements.with_hash(Sentences("uploaded"), lines)
        question = AlignmentError(question.run, n=own.n, uploaded=own.hash, links=question.links)
    answer = measured(question, uploaded)
    if answer is None:
        return
    show_all(question, answer, chosen.model)
    if answer.gold:
        _attention_link(chosen, answer, is_uploaded=bool(uploaded))


def _attention_link(chosen: HeadsSample, answer: HeadAlignment, *, is_uploaded: bool) -> None:
    best = answer.best
    known = cached.SCREEN.answer(GoldOf(cached.named(chosen.run))).targets
    pair = {}
    if known and not is_uploaded:
        src = next(iter(known))
        pair = {"src": src, "tgt": known[src][0].tgt}
    page_link(
        "attention",
        "Its links in a sentence",
        step=str(chosen.run.step),
        kind="cross",
        layer=str(best.layer + 1),
        head=str(best.head + 1),
        reduce=answer.reductions[best.reduction],
        set=share.pack({"view": "alignment", "links": answer.methods[best.method]}),
        **pair,
    )
