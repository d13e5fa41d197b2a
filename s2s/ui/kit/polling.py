"""How often a part of a page that refreshes itself does so: the more sessions watch at once, the more rarely."""

from __future__ import annotations

import secrets
import threading
import time

import streamlit as st

# up to so many sessions refresh at full rate, or at half; beyond that at a quarter
FEW_SESSIONS = 8
MANY_SESSIONS = 16
SESSION_SECONDS = 20.0  # how long after its last refresh a session counts
LAST_POLLS: dict[str, float] = {}  # seconds of each session's last refresh, on this server
_LOCK = threading.Lock()


def slowdown() -> int:
    """Count this session, and return how many times the base interval it should wait: 1, 2 or 4."""
    now = time.monotonic()
    session = st.session_state.setdefault("polling session", secrets.token_hex(8))
    with _LOCK:
        LAST_POLLS[session] = now
        for gone in [one for one, at in LAST_POLLS.items() if now - at > SESSION_SECONDS]:
            del LAST_POLLS[gone]
        n_sessions = len(LAST_POLLS)
    if n_sessions <= FEW_SESSIONS:
        return 1
    return 2 if n_sessions <= MANY_SESSIONS else 4


def still_fits(times: int) -> bool:
    """Count this session, and return whether its interval may stay as it is."""
    now = slowdown()
    return now <= times < 4 * now
