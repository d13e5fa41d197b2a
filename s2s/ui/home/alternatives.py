"""The translation's tokens: their probabilities, and what the model would have written instead."""

from __future__ import annotations

import html

import streamlit as st

from s2s.runs import Decoded, Run, RunKey
from s2s.ui.canvas import token_strip
from s2s.ui.kit import cached
from s2s.ui.kit.candidates import token_cells
from s2s.ui.shell import page_link

# The sentence it belongs to, and the ids that the target then begins with.
CHOSEN = "home alternative"


def alternatives(run: Run, text: str, found: Decoded) -> None:
    """Hover or tap shows the candidates at a position; pressing one shows how the model continues from there."""
    if not found.hypotheses:
        return
    target = found.hypotheses[0]
    log_probs = cached.next_tokens(run, text, target.ids[:-1])  # (tgt_len, vocab)
    owner = (run.key, text)
    token_strip(
        token_cells(run, target.ids, log_probs),
        -1,
        key="alternatives",
        on_pick=lambda position: _choose(owner, target.ids[: position + 1]),
        on_alternative=lambda position, token: _choose(owner, (*target.ids[:position], token)),
    )
    st.caption(
        "Press a word to see the candidates at its position; press a candidate to write it instead."
    )
    if ids := continued_ids(run, text):
        _show_continuation(run, text, ids)


def continued_ids(run: Run, text: str) -> tuple[int, ...]:
    """How the target begins for which the visitor chose a word of this sentence; empty where none is chosen."""
    owner, ids = st.session_state.get(CHOSEN, ((), ()))
    return tuple(ids) if owner == (run.key, text) else ()


def _show_continuation(run: Run, text: str, ids: tuple[int, ...]) -> None:
    """The translation that begins with these ids, and the way to the whole distribution."""
    found = cached.continuation(run, text, ids, "beam", {})
    token = html.escape(run.tgt_tokenizer.tokens(ids[-1:])[0])
    st.html(
        f'<p dir="auto">With <em><bdi>{token}</bdi></em> there: <strong>{html.escape(found.text)}</strong></p>'
    )
    forced = ".".join(map(str, ids))
    page_link(
        "steps",
        "All candidates at this position",
        run=st.session_state["run"],
        src=text,
        set=f"view:next,forced:{forced},at:{len(ids)}",
    )


def _choose(owner: tuple[RunKey, str], ids: tuple[int, ...]) -> None:
    st.session_state[CHOSEN] = (owner, ids)
