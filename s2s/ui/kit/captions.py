"""A translation as pages show it."""

from __future__ import annotations

import html
import re

import streamlit as st

from s2s.runs import Decoded


def show_translation(decoded: Decoded) -> None:
    """Large; a click selects it. (`st.code` would bring a copy icon, and 0.8 s of highlighter before the picture.)"""
    with st.container(key="translation"):
        text = html.escape(decoded.text) or "(empty)"
        st.html(f'<p dir="auto" title="Click to select, then copy">{text}</p>')


def file_name(title: str) -> str:
    """A title as a file's name: letters, digits and hyphens."""
    return re.sub(r"[^\w-]+", "-", title).strip("-")
