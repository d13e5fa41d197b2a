"""The translation's tokens: their probabilities, and what the model would have written instead."""

from __future__ import annotations

import html

import streamlit as st

from s2s.config import UserError
from s2s.runs import Decoded, Run
from s2s.ui.canvas import token_strip
from s2s.ui.home.view_state import STATE
from s2s.ui.kit import cached, pickers
from s2s.ui.kit.candidates import token_cells
from s2s.ui.shell import page_link


def alternatives(run: Run, text: str, found: Decoded) -> None:
    """Hover or tap shows the candidates at a position; pressing one shows how the model continues from there."""
    if not found.hypotheses:
        return
    target = found.hypotheses[0]
    log_probs = cached.next_tokens(run, text, target.ids[:-1])  # (tgt_len, vocab)
    token_strip(
        token_cells(run, target.ids, log_probs),
        -1,
        key="alternatives",
        on_pick=lambda position: _choose(target.ids[: position + 1]),
        on_alternative=lambda position, token: _choose((*target.ids[:position], token)),
    )
    st.caption(
        "Press a word to see the candidates at its position; press a candidate to write it instead."
    )
    if ids := continued_ids():
        try:
            _show_continuation(run, text, ids)
        except UserError as error:  # ids of another model
            pickers.notify(f"The chosen word cannot be used: {error}")
            STATE.remember(forced="")


def continued_ids() -> tuple[int, ...]:
    """How the target begins for which the visitor chose a word of this sentence; empty where none is chosen."""
    return tuple(map(int, filter(None, STATE.now.forced.split("."))))


def _show_continuation(run: Run, text: str, ids: tuple[int, ...]) -> None:
    """The translation that begins with these ids, and the way to the whole distribution."""
    found = cached.continuation(run, text, ids, "beam", {})
    token = html.escape(run.tgt_tokenizer.tokens(ids[-1:])[0])
    st.html(
        f'<p dir="auto">With <em><bdi>{token}</bdi></em> there: <strong>{html.escape(found.text)}</strong></p>'
    )
    page_link(
        "steps",
        "All candidates at this position",
        run=st.session_state["run"],
        src=text,
        set=f"view:next,forced:{STATE.now.forced},at:{len(ids)}",
    )


def _choose(ids: tuple[int, ...]) -> None:
    STATE.remember(forced=".".join(map(str, ids)))
