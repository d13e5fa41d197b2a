"""A question about one sentence: asked at once where that is quick, else by a button with a forecast."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from s2s.runs import Run
from s2s.runs.decoder import HEAVY, DecodeRequest, request_seconds
from s2s.ui.kit import action_button, duration


def may_ask(run: Run, requests: Sequence[DecodeRequest], what: str) -> bool:
    """Whether to ask these now: they are quick together, or the visitor has pressed the button that is drawn here."""
    seconds = sum(request_seconds(run, request) for request in requests)
    wanted = f"probe of {what}"
    if seconds <= HEAVY or st.session_state.get(wanted) == tuple(requests):
        return True
    click = action_button(
        f"Measure {what}", key=f"measure {what}", icon=":material/speed:", type="primary"
    )
    st.caption(
        f"About {duration(seconds)}, beside the dashboard: this model or this sentence is large."
    )
    if click.is_waiting:
        st.session_state[wanted] = tuple(requests)
        click.done()
        st.rerun()
    return False
