"""Numbers side by side, each with a line that says what it means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st


class Card(NamedTuple):
    """One number."""

    label: str
    value: str
    about: str


def cards(rows: Sequence[Card]) -> None:
    """As many in a row as there is room for."""
    with st.grid(len(rows), min_column_width=150, border=True) as grid:
        for row in rows:
            with grid.cell():
                st.metric(row.label, row.value)
                st.caption(row.about)
