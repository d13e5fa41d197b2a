"""Runs: every run with its state and score; two beside each other, attention as it was learnt, sweeps."""

import streamlit as st

from s2s.ui.kit import cached
from s2s.ui.runs import actions, attention_history, comparison, details, sweeps, table


def runs(run_id: str) -> None:
    """All of them, and what may be done to the chosen one."""
    if cached.own_runs():
        table.table()
    else:
        table.empty()
    actions.actions(run_id)
    details.card(run_id)


VIEWS = {
    "Runs": runs,
    "Side by side": comparison.tab,
    "Attention while learning": attention_history.tab,
    "Sweeps": sweeps.tab,
}
table.tabs(VIEWS, st.session_state["run"])
