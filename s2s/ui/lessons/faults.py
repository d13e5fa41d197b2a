"""Break it on purpose: a fault's symptom and results, its cause, and the way to see it alive."""

from __future__ import annotations

import streamlit as st

from s2s.config import TRAINING_FAULTS
from s2s.faults import FAULTS, MISTAKES
from s2s.ui.kit import as_markdown
from s2s.ui.lessons import fault_actions, fault_results
from s2s.ui.lessons.view_state import STATE


def draw() -> None:
    st.caption(
        "Nine known mistakes, each made on purpose in one small run. Read the symptom, look at the numbers beside"
        " those of a healthy run, then read the cause."
    )
    titles = {str(n): as_markdown(row.title) for n, row in enumerate(FAULTS.values(), 1)}
    number = int(STATE.segments("fault", "Fault", titles, label_visibility="collapsed"))
    fault = list(FAULTS)[number - 1]
    with st.container(border=True, key="fault card"):
        if fault in TRAINING_FAULTS:
            fault_actions.own_pictures(fault)
        _symptom(fault)
        _cause(fault)
    results = st.expander(
        "Results of all nine",
        icon=":material/table_rows:",
        key="fault results",
        on_change="rerun",
    )
    if results.open:
        with results:
            fault_results.every_result()
    fault_results.provenance()
    _mistakes_of_tutorials()


def _mistakes_of_tutorials() -> None:
    numbers = {name: number for number, name in enumerate(FAULTS, 1)}
    with st.expander("Mistakes that tutorials make", icon=":material/school:", key="mistakes"):
        for row in MISTAKES:
            above = f" (fault {numbers[row.fault]} above)" if row.fault else ""
            st.markdown(
                f"**{as_markdown(row.title)}**{above}  \n*Symptom:* {as_markdown(row.symptom)}  \n"
                f"*Cure:* {as_markdown(row.cure)}"
            )


def _symptom(fault: str) -> None:
    st.subheader("Symptom", anchor=False)
    st.markdown(as_markdown(FAULTS[fault].symptom))
    fault_results.task(fault)
    fault_results.curves(fault)
    fault_results.scores(fault)
    fault_results.outputs(fault)


def _cause(fault: str) -> None:
    row = FAULTS[fault]
    st.subheader("Cause", anchor=False)
    st.markdown(as_markdown(row.cause))
    st.caption(f"Source: {as_markdown(row.source)}")
    if fault in TRAINING_FAULTS:
        fault_actions.training(fault)
    else:
        fault_actions.look(fault)
