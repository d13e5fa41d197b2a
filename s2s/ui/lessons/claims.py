"""The segment Claims: what papers claim, what was measured of it here, and the views that prove it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

import streamlit as st

from s2s.lessons.claims import CLAIMS, Level
from s2s.questions import PaperClaim
from s2s.ui.kit import action_button, cached, show_all
from s2s.ui.lessons.view_state import STATE
from s2s.ui.shell import page_link

HERE = "claims measured here"  # in the session: whether the visitor has asked for that


class LevelLook(NamedTuple):
    """How a finding about a claim is shown."""

    label: str
    icon: str
    color: Literal["green", "orange", "red"]


LEVELS: Mapping[Level, LevelLook] = MappingProxyType(
    {
        "holds": LevelLook("holds here", ":material/check_circle:", "green"),
        "partly": LevelLook("holds partly here", ":material/contrast:", "orange"),
        "fails": LevelLook("does not hold here", ":material/cancel:", "red"),
    }
)


def draw() -> None:
    """Draw the choice of a claim, and the chosen one with its finding."""
    labels = {id: f"{LEVELS[row.measured.level].icon} {row.title}" for id, row in CLAIMS.items()}
    STATE.choice(
        "claim", "Claim", labels, widget=st.pills, required=True, label_visibility="collapsed"
    )
    question = STATE.question(PaperClaim, here=bool(st.session_state.get(HERE)))
    with st.spinner("Encoding sentences of 4 to 128 tokens ..."):
        claim = cached.SCREEN.answer(question)
    level = LEVELS[claim.measured.level]
    st.markdown(f"**{claim.statement}** :{level.color}-badge[{level.icon} {level.label}]")
    show_all(question, claim, "", folded="All numbers")
    with st.container(horizontal=True, vertical_alignment="center"):
        if claim.id == PaperClaim.live and not question.here:
            _button()
        st.markdown("**See it alive:**", width="content")
        for label, view in claim.proofs:
            page_link(view.page, label, **view.values)
    st.caption(
        f"**Source.** {claim.source}.\n\n**When it holds.** {claim.criterion}\n\nEach claim of a paper was measured on"
        " small models of this program. What it says of them is computed from these numbers; larger models and other"
        " data may differ."
    )


def _button() -> None:
    click = action_button("Measure on this server", key="measure claim", icon=":material/timer:")
    if click.is_waiting:
        st.session_state[HERE] = True
        click.done()
        st.rerun()
