"""Whether the visitor is the operator of this server: by the key, or by a claim of the sign-in provider."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import streamlit as st

from s2s import settings
from s2s.config import UserError
from s2s.hosted.monitoring import MONITOR
from s2s.processes import logs
from s2s.ui.kit.turns import TURNS
from s2s.ui.shell.visitors import user

IDENTIFIED = "is operator"  # in the session
WAIT = 1.0  # seconds that a wrong key costs; a right one waits for nobody, as keys are too long to be guessed


def has_operator_page() -> bool:
    """Whether this server has an operator; wrong settings are what `/ready` reports."""
    try:
        return settings.has_operator()
    except UserError:
        return False


def is_operator() -> bool:
    """Whether this visitor has entered the key in this session, or has the claim."""
    return bool(st.session_state.get(IDENTIFIED)) or _has_claim(user())


def identify_operator(key: str) -> None:
    """Make this session the operator's. Raises UserError for a wrong key, after a delay."""
    if not settings.is_operator_key(key):
        note_refused_key("page")
        with TURNS.paused():
            time.sleep(WAIT)
        raise UserError("This is not the operator's key; enter the value of `S2S_OPERATOR_KEY`.")
    st.session_state[IDENTIFIED] = True
    logs.write("operator_identified")


def note_refused_key(by: str) -> None:
    """Count and log a wrong key, which was entered on the `page`, or sent with a request for the `metrics`."""
    MONITOR.note_refused_key(by)
    logs.write("operator_key_refused", by=by)


def _has_claim(user: Mapping[str, Any]) -> bool:
    wanted = settings.operator_claim()
    if wanted is None or user.get("is_logged_in") is not True:
        return False
    name, value = wanted
    if name == "email" and user.get("email_verified") is not True:
        return False
    given = user.get(name)
    return value in given if isinstance(given, list | tuple) else given == value
