"""Sample translations: fixed validation sentences, translated now and at an earlier step."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from s2s.config import UserError
from s2s.questions import SamplesOverTraining
from s2s.questions.views import view_of
from s2s.ui.kit import cached, show
from s2s.ui.train.view_state import STATE


def panel(run_id: str) -> None:
    """Draw the translations at the newest step beside those at an earlier one."""
    question = STATE.question(SamplesOverTraining, run=run_id)
    try:
        answer = cached.SCREEN.answer(question)
    except UserError:  # queued: its folder comes with its first line
        return
    if not answer.rows:
        return
    with st.container(border=True, key="samples"):
        if len(answer.steps) > 2:
            _choose_earlier(answer.steps[:-1])
            question = STATE.question(SamplesOverTraining, run=run_id)
            answer = cached.SCREEN.answer(question)
        for picture in view_of(question).pictures(question, answer, ""):
            show(picture, question, answer)


def _choose_earlier(steps: Sequence[int]) -> None:
    before = STATE.value("sample")
    key = STATE.key("sample")
    if st.session_state.setdefault(key, int(before or steps[0])) not in steps:
        st.session_state[key] = steps[0]
    chosen = st.select_slider(
        "Compare with step",
        steps,
        format_func=lambda step: f"{step:,}",
        key=key,
        persist_state="session",
        width=420,
        help="Steps at which the sentences were translated. Drag the handle to see the translations improve.",
    )
    STATE.remember(sample="" if chosen == steps[0] else str(chosen))
    if STATE.value("sample") != before:
        st.rerun()  # the whole page: the link of Share says it, too
