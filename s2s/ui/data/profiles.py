"""Dataset profiles on the page: computed by a process beside the dashboard, with a progress bar meanwhile."""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

from s2s.config import DataConfig, UserError
from s2s.data import PROFILE_SECTIONS, ProfileFolder, ReadingState, profile_of, stored_section
from s2s.ui.kit import duration, forms

REFRESH = 0.4  # seconds between refreshes of a progress bar
PATIENCE = 1.5  # seconds before a progress bar is shown, lest it flicker
DEFAULT_DATA = DataConfig()


def profile(spec: str) -> ProfileFolder:
    """The profile of a saved or shipped dataset, with the process that this visit has started for it."""
    profiles: dict[str, ProfileFolder] = st.session_state.setdefault("profiles", {})
    if spec not in profiles:
        profiles[spec] = profile_of(spec)
    return profiles[spec]


def section(of: ProfileFolder, name: str, data: DataConfig = DEFAULT_DATA) -> Any | None:
    """A section of a profile. Starts its computation where it is missing; None until there is a result."""
    if found := stored_section(of, name, data):
        return found
    file = PROFILE_SECTIONS[name].name(name, data)
    is_ours = of.request[:1] == (name,)
    # A process for another section is waited for; one for this section under other settings is replaced.
    if of.request != (name, file) and (is_ours or not of.is_reading):
        of.start((name,), request=(name, file), data=data)
    if not is_ready(of, name):
        return None
    if (found := stored_section(of, name, data)) is None:
        st.rerun()
    return found


def is_ready(of: ProfileFolder, what: str = "text") -> bool:
    """Whether the profile is computed. Until then it draws a progress bar; after a failure its reason and a button.

    `what` distinguishes two of these on one page.
    """
    state = _state_soon(of)
    if not state.is_over:
        st.fragment(_progress, run_every=REFRESH)(of, what)
        return False
    if state.error:
        forms.show_error(UserError(state.error))
        st.button(
            "Read it again",
            key=f"again {what} {of.folder.name}",
            icon=":material/refresh:",
            on_click=of.reset,
        )
        return False
    return True


def has_failed(*profiles: ProfileFolder) -> bool:
    """Whether reading one of these datasets has ended with an error."""
    return any(of.state().error for of in profiles)


def _state_soon(of: ProfileFolder) -> ReadingState:
    until = time.monotonic() + PATIENCE
    while not (state := of.state()).is_over and time.monotonic() < until:
        time.sleep(0.03)
    return state


def _progress(of: ProfileFolder, what: str) -> None:
    state = of.state()
    if state.is_over:
        st.rerun()
    left = "" if state.left is None else f" About {duration(state.left)} left."
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(state.share, text=f"{state.doing}{left}")
        st.button(
            "Stop", key=f"stop {what} {of.folder.name}", icon=":material/stop:", on_click=of.stop
        )
