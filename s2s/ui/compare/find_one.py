"""Find one on Compare: among the texts of all columns."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from s2s.runs import Run
from s2s.runs.properties import Decoding
from s2s.ui.compare import columns
from s2s.ui.compare.cards import Card
from s2s.ui.compare.view_state import STATE
from s2s.ui.kit import FindOne


def _prepare(name: str) -> None:
    """A column alone differs from nothing: it gets another strategy beside it."""
    if name == "strategies_differ" and len(columns.shown()) == 1:
        columns.add(st.session_state["run"])


FIND_ONE = FindOne(
    STATE,
    (
        "strategies_differ",
        "search_error",
        "length_penalty_decides",
        "agreement_across_clause",
        "unknown_word",
    ),
    prepare=_prepare,
)


def show(run: Run, text: str, cards: Sequence[Card]) -> None:
    """What was found, or the search; columns without valid settings decode nothing."""
    decodings = []
    for card in cards:
        if (choice := card.choice) and choice.config:
            other = choice.run if choice.run.key != run.key else None
            plain = Decoding(choice.strategy, choice.settings)
            name = f"column {card.number} ({plain})" if len(cards) > 1 else ""
            decodings.append(Decoding(choice.strategy, choice.settings, name, other))
    if decodings:
        FIND_ONE.show(run, text, *decodings)
