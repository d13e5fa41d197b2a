"""Runs: every run with its state and score; two beside each other, attention as it was learnt, sweeps."""

import streamlit as st

from s2s.ui import cached, deeds, facts, learning, shelf, sweeps, versus


def runs(run_id: str) -> None:
    """All of them, and what may be done to the chosen one."""
    if cached.listed():
        shelf.table()
    else:
        shelf.empty()
    deeds.actions(run_id)
    facts.card(run_id)


VIEWS = {
    "Runs": runs,
    "Side by side": versus.tab,
    "Attention while learning": learning.tab,
    "Sweeps": sweeps.tab,
}
shelf.tabs(VIEWS, st.session_state["run"])
