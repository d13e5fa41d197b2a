"""Small parts of a page: numbers side by side, a line with Undo, a QR code."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import NamedTuple

import segno
import streamlit as st


class Card(NamedTuple):
    """One number with its label and caption."""

    label: str
    value: str
    caption: str


def cards(rows: Sequence[Card], at_most: int = 8) -> None:
    with st.grid(min(len(rows), at_most), min_column_width=150, border=True) as grid:
        for row in rows:
            with grid.cell():
                st.metric(row.label, row.value)
                st.caption(row.caption)


def undo_row(said: str, undo: Callable[..., None], *args: object, key: str, help: str = "") -> None:
    """Draw a line that says what was deleted (markdown), with a button that calls `undo` with `args`."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{key} row"):
        st.markdown(said, width="content")
        st.button(
            "Undo",
            key=key,
            icon=":material/undo:",
            on_click=undo,
            args=args,
            help=help or None,
        )


def qr_code(url: str, of: str) -> None:
    """Draw a link as a QR code; `of` says what it opens: "the class"."""
    drawn = segno.make(url, error="m", micro=False)
    uri = drawn.svg_data_uri(border=4, dark="#000", light="#fff", omitsize=True, xmldecl=False)
    st.html(f'<img class="qr" alt="QR code of {html.escape(of)}" src="{uri}">')
