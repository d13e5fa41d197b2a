"""The view Attribution: what each source token contributes to each target token, beside attention."""

from __future__ import annotations

import numpy as np
import streamlit as st

from s2s.analysis import heads
from s2s.config import UserError
from s2s.questions import ALL_HEADS, Attribution, ChangedWeights
from s2s.questions.views import view_of
from s2s.ui.heads.page import HeadsPage
from s2s.ui.heads.sentence_controls import HeadsSentence, may_ask, read_sentence
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import cached, forms, show

DEFAULT = Attribution()


def show_view(page: HeadsPage) -> None:
    """Draw the attribution, the attention, how far they agree, and what changed weights change."""
    stack = page.best.recipe.model.decoder
    names = {ALL_HEADS: "all heads"} | {
        f"{layer + 1}.{head + 1}": f"layer {layer + 1} · head {head + 1}"
        for layer, head in np.ndindex(stack.n_layers, stack.n_heads)
    }
    with page.row:
        method = STATE.draw("method", label_visibility="collapsed", width=210)
    one_head = str(STATE.shown("one_head"))
    changed = {
        names.get(one_head, one_head): one_head != DEFAULT.one_head,
        str(STATE.shown("baseline")): STATE.shown("baseline") != DEFAULT.baseline,
        str(STATE.shown("map")): STATE.shown("map") != DEFAULT.map,
    }
    chosen = read_sentence(page, "what each word contributes", changed)
    if chosen is None:
        return
    with chosen.settings:
        if method != "gradient":  # whose baseline is zero
            STATE.draw("baseline")
        if method == "integrated":
            STATE.draw("n_steps", low=1, high=heads.MOST_STEPS)
        STATE.draw("one_head", names)
        STATE.draw("map")
    try:
        with st.container(key="attribution"):
            _attributed(chosen)
        _changed(chosen)
    except UserError as wrong:
        forms.show_error(wrong)


def _attributed(chosen: HeadsSentence) -> None:
    question = STATE.question(Attribution, **chosen.asked)
    if not may_ask(chosen.run, [question.probe(cached.SCREEN)], "attribution"):
        return
    answer = cached.SCREEN.answer(question)
    model = cached.model_name(chosen.run)
    one, beside, *tables = view_of(question).pictures(question, answer, model)
    with st.container(key="answer", border=True):
        left, right = st.columns(2)
        with left:
            show(one, question, answer)
        with right:
            show(beside, question, answer)
        for picture in tables:
            show(picture, question, answer)


def _changed(chosen: HeadsSentence) -> None:
    question = STATE.question(ChangedWeights, **chosen.asked)
    st.subheader("Is attention an explanation here?", anchor=False)
    if not may_ask(chosen.run, [*question.probes(cached.SCREEN).values()], "changed weights"):
        return
    answer = cached.SCREEN.answer(question)
    model = cached.model_name(chosen.run)
    for picture in view_of(question).pictures(question, answer, model):
        show(picture, question, answer)
