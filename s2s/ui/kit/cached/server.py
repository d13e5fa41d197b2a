"""What the operator has set for everybody, read at most every few seconds."""

from __future__ import annotations

import streamlit as st

from s2s import settings
from s2s.config import UserError
from s2s.processes import queue

SECONDS = 3.0  # until a change is seen in another process


def server_state() -> queue.ServerState:
    """What the operator has set: whether the queue is paused, and the notice; nothing while the database is
    unreachable.
    """
    return _server_state(settings.database_url())


def refresh_server_state() -> None:
    _server_state.clear()


@st.cache_data(ttl=SECONDS, max_entries=4, show_spinner=False)
def _server_state(url: str) -> queue.ServerState:
    try:
        return queue.server_state()
    except UserError:  # the pages that need the queue say so themselves
        return queue.ServerState()


@st.cache_data(ttl=SECONDS, max_entries=8, show_spinner=False)
def queue_wait(slot: str) -> float:
    """Seconds until a job that is submitted now would start, at most; 0 where nobody knows."""
    try:
        return queue.backlog(slot) or 0.0
    except UserError:
        return 0.0
