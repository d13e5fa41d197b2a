"""Runs: every run with its state and scores; several side by side; attention over training; sweeps."""

import streamlit as st

from s2s.ui.kit import cached
from s2s.ui.runs import actions, attention_history, comparison, details, sweeps, table
from s2s.ui.runs.views import RunsView, tabs


def runs(run_id: str) -> None:
    """All runs, and what can be done with the selected one."""
    if cached.own_runs():
        table.table()
    else:
        table.empty()
    actions.actions(run_id)
    details.card(run_id)


VIEWS = {
    "runs": RunsView("Runs", runs),
    "side-by-side": RunsView("Side by side", comparison.tab, ("compared",)),
    "attention-while-learning": RunsView(
        "Attention over training", attention_history.tab, (attention_history.AT,)
    ),
    "sweeps": RunsView("Sweeps", sweeps.tab, ("sweep",)),
}
tabs(VIEWS, st.session_state["run"])
