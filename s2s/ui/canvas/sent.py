"""What a component's script sends: it may be any JSON, since a program that is no browser can send it, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st


def sent(key: str, trigger: str) -> Mapping[str, Any]:
    """The named values that a component has sent with a trigger; none where it sent something else."""
    given = st.session_state[key].get(trigger)
    return given if isinstance(given, Mapping) else {}
