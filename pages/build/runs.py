"""Runs: all with state and scores; several side by side; attention over training; sweeps; open a model."""

import streamlit as st

from s2s.ui.runs import (
    actions,
    attention_history,
    comparison,
    details,
    open_model,
    run_zip,
    sweeps,
    table,
    view_state,
)
from s2s.ui.runs.views import Tab, tabs


def runs(run_id: str) -> None:
    """The tab of all runs, and what can be done with the selected one."""
    table.table()
    actions.actions(run_id)
    details.card(run_id)
    run_zip.field()


def opening(run_id: str) -> None:
    """The tab that opens a published model as a run."""
    with st.container(key="answer"):
        open_model.tab(run_id)


VIEWS = {
    view_state.RUNS: Tab("Runs", runs, ("find",)),
    view_state.SIDE_BY_SIDE: Tab(
        "Side by side", comparison.tab, ("compared", "curve", "over", "settings", "seed_score")
    ),
    view_state.ATTENTION: Tab("Attention over training", attention_history.tab, ("at", "animated")),
    view_state.SWEEPS: Tab("Sweeps", sweeps.tab, ("sweep", "seed_score")),
    view_state.OPEN_MODEL: Tab("Open a model", opening),
}
tabs(VIEWS, st.session_state["run"])
