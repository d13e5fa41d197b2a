"""The translation's tokens: their probabilities, and what the model would have written instead."""

from __future__ import annotations

import math

import streamlit as st

from s2s.questions import BANK_PREFIXES, source_as_it_is
from s2s.runs import Run
from s2s.ui.canvas import token_strip
from s2s.ui.home.translations import Written
from s2s.ui.home.view_state import STATE
from s2s.ui.kit import cached
from s2s.ui.kit.candidates import token_cells
from s2s.ui.kit.glossary import definitions
from s2s.ui.shell import page_link
from s2s.words import nats, percent


def candidates(run: Run, written: Written) -> None:
    """Hover or tap shows the candidates at a position; the translation continues from one that is pressed."""
    if not written.found.hypotheses:
        return
    target = written.found.hypotheses[0]
    log_probs = cached.next_tokens(run, written.text, target.ids[:-1])  # (tgt_len, vocab)
    token_strip(
        token_cells(run, target.ids, log_probs, len(written.ids)),
        -1,
        key="alternatives",
        on_pick=lambda position: None,
        on_alternative=lambda position, token: _choose((*target.ids[:position], token)),
    )
    is_ended = written.found.tokens[-1:] == ("</s>",)
    of_what = "this sentence" if is_ended else "sentences that begin like this"
    st.caption(
        "Press a word to see the candidates at its position; press a candidate, and the translation continues from it."
        f" The model gives {of_what} a probability of {percent(math.exp(target.log_prob))} (log-probability"
        f" {nats(target.log_prob)} nats).",
        help=definitions("step", "log-probability", "nats"),
    )
    forced = f",forced:{STATE.now.forced},at:{len(written.ids)}" if written.ids else ""
    shown = {"run": st.session_state["run"], "src": written.text}
    page_link("steps", "All candidates, position by position", **shown, set=f"view:next{forced}")
    if source_as_it_is(run) in BANK_PREFIXES and "bank" in written.text.split():
        page_link("states", "Why *bank* has two translations", **shown, set="view:same")


def _choose(ids: tuple[int, ...]) -> None:
    STATE.remember(forced=".".join(map(str, ids)))
