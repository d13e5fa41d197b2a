"""The view Ablation: switches of all heads, and what they change for one sentence and for many."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from s2s.analysis import Head, all_heads
from s2s.config import UserError
from s2s.questions import Ablation, SentenceAblation
from s2s.questions.views import view_of
from s2s.ui.heads.experiment_panel import measured
from s2s.ui.heads.head_switches import head_switches
from s2s.ui.heads.page import HeadsPage, HeadsSample, sample
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import cached, forms, sentence_row, show, show_all

EXAMPLE = "cross.2=off"


def show_view(page: HeadsPage) -> None:
    """Draw a sentence beside the switches, then the sample, measured by a job."""
    chosen = sample(page)
    row = sentence_row("its translation without some heads")
    wide, narrow = st.columns([3, 2], gap="medium")
    with narrow, st.container(border=True):
        heads = head_switches(chosen.run)
    with wide:
        _of_sentence(chosen, row.text, heads)
    if heads:
        st.subheader("Over the sample", anchor=False)
        question = STATE.question(Ablation, **chosen.asked)
        answer = measured(question)
        if answer is not None:
            for picture in view_of(question).pictures(question, answer, chosen.model):
                show(picture, question, answer)


def _of_sentence(chosen: HeadsSample, text: str, heads: Mapping[Head, str]) -> None:
    if not heads:
        with st.container(key="answer"):
            st.info(
                "Press heads, a layer, or all cross-attention: the new translation appears here next to the old one.",
                icon=":material/touch_app:",
            )
            st.button(
                "For example, switch off layer 2 of cross-attention",
                key="example ablation",
                on_click=partial(STATE.show, switched=EXAMPLE),
            )
        return
    cross = all_heads(chosen.run.model, "cross")
    if all(heads.get(head) in ("off", "mean") for head in cross):
        st.caption(
            ":material/info: No head of cross-attention is left: the decoder no longer reads the source."
        )
    if not text:
        return
    question = STATE.question(SentenceAblation, **chosen.asked, text=text)
    if means := question.means(chosen.run):
        st.caption(
            "The corpus mean of a head is the mean of its outputs over all tokens of the sample."
        )
        if measured(means) is None:
            return
    try:
        show_all(question, cached.SCREEN.answer(question), chosen.model)
    except UserError as error:
        forms.show_error(error)
