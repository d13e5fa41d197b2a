"""Below a sweep and runs side by side: mean and spread of the runs that differ only in their seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from s2s.questions import SeedSpread
from s2s.questions.views import view_of
from s2s.ui.kit import cached
from s2s.ui.kit.pictures import show
from s2s.ui.runs.view_state import STATE

OLD = " (%)"  # after the name of accuracy in older links


def panel(runs: Sequence[str]) -> None:
    """Draw mean and spread over seeds; nothing where the runs have no different seeds."""
    question = SeedSpread(tuple(runs))
    answer = cached.SCREEN.answer(question)
    if not answer.has_seeds:
        return
    st.subheader("Mean and spread over seeds", anchor=False)
    if not answer.is_averaged:
        (nothing,) = view_of(question).pictures(question, answer, "")
        st.caption(nothing.caption)
        return
    if (said := str(STATE.value("seed_score"))).endswith(OLD):
        STATE.show(seed_score=said.removesuffix(OLD))
    names = {score: score for score in answer.scores}
    score = STATE.draw("seed_score", names, default=question.score(answer), width=200)
    question = replace(question, seed_score=score)
    for picture in view_of(question).pictures(question, answer, ""):
        show(picture, question, answer)
