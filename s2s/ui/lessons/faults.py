"""Break it on purpose: a fault's symptom, the two runs that show it, and its cause."""

from __future__ import annotations

import streamlit as st

from s2s.config import TRAINING_FAULTS
from s2s.demo import shipped_about
from s2s.faults import FAULTS, MISTAKES
from s2s.questions import FaultResults
from s2s.questions.views import view_of
from s2s.ui.kit import as_markdown, cached, show
from s2s.ui.lessons import fault_actions
from s2s.ui.lessons.view_state import STATE


def draw() -> None:
    """Draw one fault, and the choice of another."""
    titles = {str(n): as_markdown(row.title) for n, row in enumerate(FAULTS.values(), 1)}
    number = STATE.choice(
        "fault", "Fault", titles, widget=st.pills, required=True, label_visibility="collapsed"
    )
    fault = list(FAULTS)[int(number) - 1]
    row = FAULTS[fault]
    st.markdown(f"**Symptom.** {as_markdown(row.symptom)}")
    if fault in TRAINING_FAULTS:
        fault_actions.training(fault)
    has_own = fault in TRAINING_FAULTS and fault_actions.own_pictures(fault)
    _results(fault, "results" if has_own else "answer")
    st.markdown(f"**Cause.** {as_markdown(row.cause)}")
    st.caption(f"Source: {as_markdown(row.source)}")
    if fault not in TRAINING_FAULTS:
        fault_actions.look(fault)
    _mistakes_of_tutorials()


def _results(fault: str, key: str) -> None:
    """Draw what was measured of the fault, and, folded, of all faults."""
    question = FaultResults(fault)
    answer = cached.SCREEN.answer(question)
    *shown, every = view_of(question).pictures(question, answer, "")
    with st.container(border=True, key=key):
        if fault in TRAINING_FAULTS:
            st.markdown("**Our two runs, which ship with the program**")
        for picture in shown:
            show(picture, question, answer)
    with st.expander("Results of all nine", icon=":material/table_rows:"):
        show(every, question, answer)
        about = shipped_about()
        st.caption(
            f"Measured on {str(about['date'])[:10]}, {about['machine']}: one run per fault with the same recipe and"
            f" seed, greedy translations of {about['n_test']} test sentences, {about['n_alone']} of them also one by"
            " one."
        )


def _mistakes_of_tutorials() -> None:
    numbers = {name: number for number, name in enumerate(FAULTS, 1)}
    with st.expander("Mistakes that tutorials make", icon=":material/school:", key="mistakes"):
        for row in MISTAKES:
            above = f" (fault {numbers[row.fault]} above)" if row.fault else ""
            st.markdown(
                f"**{as_markdown(row.title)}**{above}  \n*Symptom:* {as_markdown(row.symptom)}  \n"
                f"*Cure:* {as_markdown(row.cure)}"
            )
