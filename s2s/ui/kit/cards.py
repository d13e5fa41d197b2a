"""Numbers side by side, each with a caption that says what it means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st


class Card(NamedTuple):
    """One number."""

    label: str
    value: str
    caption: str


def cards(rows: Sequence[Card], at_most: int = 8) -> None:
    with st.grid(min(len(rows), at_most), min_column_width=150, border=True) as grid:
        for row in rows:
            with grid.cell():
                st.metric(row.label, row.value)
                st.caption(row.caption)
