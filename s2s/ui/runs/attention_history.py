"""Attention over training: one pair at every checkpoint, and how each head changed."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from s2s.config import UserError, middle
from s2s.questions import AttentionByStep, AttentionOverTraining
from s2s.questions.views import view_of
from s2s.ui.kit import as_markdown, cached, pickers, settings_box
from s2s.ui.kit.pictures import show
from s2s.ui.runs import table
from s2s.ui.runs.view_state import STATE

REFRESH_SECONDS = 5.0  # while the run is live
MAX_NAME = 48  # characters of the run's name in titles
SOON = "The first checkpoint brings the first picture."


def tab(run_id: str) -> None:
    """Draw the attention that the run saved; it refreshes while the run is live."""
    STATE.belongs_to("run", run_id)
    question = STATE.question(AttentionOverTraining, run=run_id)
    question = replace(question, animated=bool(STATE.shown("animated")))
    answer: AttentionByStep | None = cached.SCREEN.outcome(question).value
    if answer and answer.frames:
        with st.container(horizontal=True, vertical_alignment="bottom", key="selection"):
            question = _selected(question, answer)
    elif answer and len(answer.steps) > 1:  # one that cannot be read
        _checkpoint(question, answer.steps)
    row = cached.runs().get(run_id)
    is_live = row is not None and row.is_live
    drawn = st.fragment(_drawn, run_every=REFRESH_SECONDS if is_live else None)
    with st.container(key="answer"):
        drawn(question, answer.steps if answer else None)


def _drawn(question: AttentionOverTraining, steps: tuple[int, ...] | None) -> None:
    try:
        answer = cached.SCREEN.answer(question)
    except UserError as error:  # none yet, or never
        said = SOON if cached.is_untrained(question.run) else as_markdown(str(error))
        st.info(said, icon=":material/visibility_off:")
        return
    if answer.steps != steps:
        st.rerun()  # the slider has more of them
    if answer.note:
        st.caption(as_markdown(answer.note))
    name = middle(table.full_name(question.run), MAX_NAME)
    for picture in view_of(question).pictures(question, answer, name):
        show(picture, question, answer)


def _selected(question: AttentionOverTraining, answer: AttentionByStep) -> AttentionOverTraining:
    kind = pickers.kind_picker()
    view = answer.frames[0].attention.view(kind)
    layer = pickers.layer_picker(view, mean=True)
    head = pickers.head_picker(view)
    if len(answer.steps) > 1:
        if not question.animated:  # the animation has its own slider
            _checkpoint(question, answer.steps)
        with settings_box(None, {"animated": question.animated}):
            STATE.draw("animated")
    layer_name, head_name = (
        pickers.MEAN if index is None else str(index + 1) for index in (layer, head)
    )
    return replace(question, kind=kind, layer=layer_name, head=head_name)


def _checkpoint(question: AttentionOverTraining, steps: tuple[int, ...]) -> None:
    key = STATE.key("at")
    st.session_state[key] = question.nearest(steps)

    def keep() -> None:
        step = st.session_state[key]
        STATE.remember(at="" if step == steps[-1] else str(step))

    st.select_slider(
        STATE.label("at"),
        steps,
        key=key,
        format_func=lambda step: f"step {step:,}",
        on_change=keep,
        width=260,
    )
