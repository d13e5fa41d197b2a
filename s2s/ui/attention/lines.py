"""Attention as lines between two columns of tokens: one map, or several heads side by side."""

from __future__ import annotations

import numpy as np
import streamlit as st

from s2s.questions import SHARE_STEP, AttentionLines
from s2s.ui.attention.asked import Asked
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import pickers, show_all


def show(asked: Asked) -> None:
    """Draw the picture; beside it the heads and the share of their weight."""
    with asked.beside, st.container(horizontal=True, vertical_alignment="bottom"):
        heads = _heads(asked)
        share = share_slider()
    page = asked.question.shared_with(AttentionLines)
    question = AttentionLines(**page, heads=heads, share=share)
    show_all(question, asked.answer, asked.model)


def _heads(asked: Asked) -> str:
    kind = asked.question.kind
    shape = asked.answer.attention.view(kind).weights.shape[:2]
    options = [f"{layer + 1}.{head + 1}" for layer, head in np.ndindex(*shape)]
    key = STATE.key("heads")
    wanted = st.session_state.setdefault(key, STATE.value("heads").split())
    if missing := [name for name in wanted if name not in options]:
        pickers.notify(
            f"There is no head {missing[0][:20]} of {kind} attention in this model; it is not drawn."
        )
        st.session_state[key] = [name for name in wanted if name in options]
    chosen = st.multiselect(
        STATE.label("heads"),
        options,
        key=key,
        persist_state="session",
        placeholder="as selected above",
        select_all=False,
        wrap=True,
        width=300,
        help="Layer and head: 2.3 is the third head of layer 2. If you choose none, the selection above is shown.",
    )
    STATE.remember(heads=" ".join(chosen))
    return " ".join(chosen)


def share_slider() -> str:
    """Draw a slider for the share of each row's weight that is drawn; returns its value."""
    key = STATE.key("share")
    if key not in st.session_state:
        given = float(STATE.value("share"))
        st.session_state[key] = round(round(given / SHARE_STEP) * SHARE_STEP, 2)
    share = st.slider(
        STATE.label("share"),
        SHARE_STEP,
        1.0,
        step=SHARE_STEP,
        key=key,
        format="percent",
        persist_state="session",
        width=220,
        help="For each row, the strongest lines are drawn until they cover this share of its weight; at 100 % all are"
        " drawn.",
    )
    text = str(round(float(share), 2))
    STATE.remember(share=text)
    return text
