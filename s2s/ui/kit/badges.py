"""The state of a run as a word, an icon and a color."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

import streamlit as st

from s2s.runs import RunSummary, has_diverged
from s2s.ui.kit import cached


class StateLook(NamedTuple):
    """Color and icon of a run's state."""

    color: Literal["blue", "green", "gray", "orange", "red"]
    icon: str
    label: str


STATES: Mapping[str, StateLook] = MappingProxyType(
    {
        "queued": StateLook("blue", ":material/schedule:", "waiting"),
        "starting": StateLook("blue", ":material/hourglass_top:", "starting"),
        "running": StateLook("blue", ":material/model_training:", "training"),
        "done": StateLook("green", ":material/check_circle:", "done"),
        "stopped": StateLook("gray", ":material/pause_circle:", "stopped"),
        "interrupted": StateLook("orange", ":material/power_off:", "interrupted"),
        "early": StateLook("orange", ":material/timer_off:", "ended early"),
        "empty": StateLook("orange", ":material/block:", "no checkpoint"),
        "diverged": StateLook("red", ":material/trending_up:", "diverged"),
        "failed": StateLook("red", ":material/error:", "failed"),
    }
)


def shown_state(row: RunSummary) -> str:
    """The key in STATES of how a run is shown; a finished run may have diverged or ended early."""
    if row.state != "done":
        return row.state
    if not row.checkpoints:
        return "empty"
    if has_diverged(cached.curves(row.id)):
        return "diverged"
    return "early" if row.ended else "done"


def badge(state: str) -> None:
    """A badge for the state of a run or an evaluation."""
    look = STATES[state]
    st.badge(look.label, icon=look.icon, color=look.color)
