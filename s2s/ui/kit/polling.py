"""How often a part of a page that runs by itself looks again: the more people look at once, the more slowly."""

from __future__ import annotations

import secrets
import threading
import time

import streamlit as st

# sessions: up to so many look as often as they like, or half as often; more of them a quarter
FEW_SESSIONS = 8
MANY_SESSIONS = 16
SESSION_SECONDS = 20.0  # seconds after its last look that a session counts
LAST_POLLS: dict[str, float] = {}  # seconds of each session's last look, of this server
_LOCK = threading.Lock()


def slowdown() -> int:
    """Counts this session in; how many times longer than usual it waits between two looks: 1, 2 or 4."""
    now = time.monotonic()
    me = st.session_state.setdefault("who looks", secrets.token_hex(8))
    with _LOCK:
        LAST_POLLS[me] = now
        for gone in [one for one, at in LAST_POLLS.items() if now - at > SESSION_SECONDS]:
            del LAST_POLLS[gone]
        return (
            1 if len(LAST_POLLS) <= FEW_SESSIONS else 2 if len(LAST_POLLS) <= MANY_SESSIONS else 4
        )


def still_fits(times: int) -> bool:
    """Counts this session in; whether it may go on so: who comes and goes changes nothing at once."""
    now = slowdown()
    return now <= times < 4 * now
