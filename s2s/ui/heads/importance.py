"""The view Importance: how much the loss rises without each head, whether that is due to a role, and pruning."""

from __future__ import annotations

import streamlit as st

from s2s.analysis import INTERVENTIONS
from s2s.questions import HeadImportance, RoleAndImportance
from s2s.questions.views import view_of
from s2s.ui.heads.experiment_panel import measured
from s2s.ui.heads.page import HeadsPage, sample
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import cached, show, show_all


def show_view(page: HeadsPage) -> None:
    """Draw the numbers of all heads, then what explains them."""
    how = str(STATE.shown("how"))
    row = INTERVENTIONS.get(how, INTERVENTIONS[HeadImportance().how])
    chosen = sample(page, {row.label.lower(): how != HeadImportance().how})
    with chosen.settings:
        how = STATE.draw("how")
        st.caption(f"{INTERVENTIONS[how].about} ({INTERVENTIONS[how].source})")
    question = STATE.question(HeadImportance, **chosen.asked)
    answer = measured(question)
    if answer is None:
        return
    show_all(question, answer, chosen.model)
    st.subheader("Do heads matter because of their role?", anchor=False)
    both = STATE.question(RoleAndImportance, **chosen.asked)
    if measured(both.roles) is None:
        return
    found = cached.SCREEN.answer(both)
    STATE.draw("strength", found.offered, default=found.default, width=240)
    both = STATE.question(RoleAndImportance, **chosen.asked)
    for picture in view_of(both).pictures(both, found, chosen.model):
        show(picture, both, found)
