"""Break it on purpose: the symptom first, a guess, then the cause, and the way to see it alive."""

from __future__ import annotations

import streamlit as st

from s2s.config import TRAINING_FAULTS
from s2s.faults import FAULTS
from s2s.ui.kit import as_markdown
from s2s.ui.lessons import fault_actions, fault_results
from s2s.ui.lessons.view_state import STATE

REVEALED = "faults revealed"  # in the session: those whose cause was shown


def draw() -> None:
    """One fault, and the choice of another."""
    st.caption(
        "Eight known mistakes, each made on purpose in one small run. Read the symptom, look at the numbers, and guess"
        " the cause. Looking for a certain one? The table at the end has their names."
    )
    numbers = {str(number): f"Fault {number}" for number in range(1, len(FAULTS) + 1)}
    number = int(STATE.segments("fault", "Fault", numbers, label_visibility="collapsed"))
    fault = list(FAULTS)[number - 1]
    with st.container(border=True, key="fault card"):
        _symptom(fault, number)
        _guess(fault, number)
        if fault in st.session_state.get(REVEALED, ()):
            _cause(fault)
    results = st.expander(
        "Results of all eight, with their names",
        icon=":material/table_rows:",
        key="fault results",
        on_change="rerun",
    )
    if results.open:
        with results:
            fault_results.every_result()
    fault_results.provenance()


def _symptom(fault: str, number: int) -> None:
    st.subheader("Symptom", anchor=False)
    st.markdown(as_markdown(FAULTS[fault].symptom))
    fault_results.curves(fault, number)
    fault_results.scores(fault)
    fault_results.outputs(fault)


def _guess(fault: str, number: int) -> None:
    """A list of the causes, in alphabetical order, and what is said of the chosen one."""
    titles = {row.title.replace("`", ""): name for name, row in FAULTS.items()}
    st.subheader("What is the cause?", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom", key="fault guess"):
        chosen = st.selectbox(
            "Your guess",
            sorted(titles, key=str.casefold),
            index=None,
            placeholder="Choose a cause",
            key=f"guess {number}",
            persist_state="session",
            width=320,
        )
        is_asked = st.button("Show the cause", icon=":material/visibility:", key=f"cause {number}")
    guess = titles.get(chosen or "")
    if guess == fault:
        st.success("Right.", icon=":material/check_circle:")
    elif guess:
        other = as_markdown(FAULTS[guess].symptom)
        st.warning(f"Not this one. Its symptom would be: {other}", icon=":material/close:")
    if is_asked or guess == fault:
        st.session_state[REVEALED] = {*st.session_state.get(REVEALED, ()), fault}


def _cause(fault: str) -> None:
    row = FAULTS[fault]
    st.markdown(f"**{as_markdown(row.title)}.** {as_markdown(row.cause)}")
    st.caption(f"Source: {as_markdown(row.source)}")
    if fault in TRAINING_FAULTS:
        fault_actions.training(fault)
    else:
        fault_actions.look(fault)
