"""A link as a QR code, for the phones of whoever sees the screen."""

from __future__ import annotations

import html

import segno
import streamlit as st


def qr_code(url: str, of: str) -> None:
    """Black on white on every background. `of` says what the link opens: "the class"."""
    drawn = segno.make(url, error="m", micro=False)
    uri = drawn.svg_data_uri(border=4, dark="#000", light="#fff", omitsize=True, xmldecl=False)
    st.html(f'<img class="qr" alt="QR code of {html.escape(of)}" src="{uri}">')
