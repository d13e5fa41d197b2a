"""The state of a run as a word, an icon and a color."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

import streamlit as st

from s2s.runs import RUN_STATES, RunSummary
from s2s.ui.kit import cached


class StateLook(NamedTuple):
    """Color and icon of a run's state."""

    color: Literal["blue", "green", "gray", "orange", "red"]
    icon: str
    label: str


STATES: Mapping[str, StateLook] = MappingProxyType(
    {
        "queued": StateLook("blue", ":material/schedule:", RUN_STATES["queued"]),
        "starting": StateLook("blue", ":material/hourglass_top:", RUN_STATES["starting"]),
        "running": StateLook("blue", ":material/model_training:", RUN_STATES["running"]),
        "done": StateLook("green", ":material/check_circle:", RUN_STATES["done"]),
        "stopped": StateLook("gray", ":material/pause_circle:", RUN_STATES["stopped"]),
        "interrupted": StateLook("orange", ":material/power_off:", RUN_STATES["interrupted"]),
        "early": StateLook("orange", ":material/timer_off:", RUN_STATES["early"]),
        "empty": StateLook("orange", ":material/block:", RUN_STATES["empty"]),
        "diverged": StateLook("red", ":material/trending_up:", RUN_STATES["diverged"]),
        "failed": StateLook("red", ":material/error:", RUN_STATES["failed"]),
    }
)


def shown_state(row: RunSummary) -> str:
    """The key in STATES of how a run is shown; a finished run may have diverged or ended early."""
    return row.outcome(cached.curves(row.id))


def badge(state: str) -> None:
    """Draw a badge for the state of a run or an evaluation."""
    look = STATES[state]
    st.badge(look.label, icon=look.icon, color=look.color)
