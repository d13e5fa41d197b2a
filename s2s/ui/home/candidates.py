"""The translation's tokens: their probabilities, and what the model would have written instead."""

from __future__ import annotations

import math

import streamlit as st

from s2s.questions import BANK_PREFIXES, NextToken, source_as_it_is
from s2s.runs import Run
from s2s.ui.home.view_state import STATE
from s2s.ui.kit import cached
from s2s.ui.kit.candidates import candidates_strip
from s2s.ui.kit.text import definitions
from s2s.ui.shell import page_link
from s2s.words import nats, percent


def candidates(run: Run, question: NextToken) -> None:
    """Draw each word with the candidates at its position; the translation continues from one that is pressed."""
    if not cached.SCREEN.answer(question.continued).hypotheses:
        return
    answer = cached.SCREEN.answer(question)
    candidates_strip(answer, key="alternatives", force=lambda forced: STATE.remember(forced=forced))
    log_prob = answer.found.log_prob
    is_ended = answer.found.tokens[-1:] == ("</s>",)
    of_what = "this sentence" if is_ended else "sentences that begin like this"
    st.caption(
        "Press a word to see the candidates at its position; press a candidate, and the translation continues from it."
        f" The model gives {of_what} a probability of {percent(math.exp(log_prob))} (log-probability"
        f" {nats(log_prob)} nats).",
        help=definitions("step", "log-probability", "nats"),
    )
    forced = f",forced:{question.forced},at:{answer.n_forced}" if question.forced else ""
    shown = {"run": st.session_state["run"], "src": question.text}
    page_link("steps", "All candidates, position by position", **shown, set=f"view:next{forced}")
    if source_as_it_is(run) in BANK_PREFIXES and "bank" in question.text.split():
        page_link("states", "Why *bank* has two translations", **shown, set="view:same")
