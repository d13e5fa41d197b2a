"""Texts one below the other, differences marked."""

from __future__ import annotations

import html
from collections.abc import Mapping

import streamlit as st

from s2s.reports import differences
from s2s.ui.kit.text import plain


def compared_texts(texts: Mapping[str, str], nouns: tuple[str, str]) -> None:
    """Texts by their captions; differences from the first are marked, which `nouns` name: the others, the first."""
    first = next(iter(texts.values()))
    is_marked = False
    with st.container(gap="xsmall"):
        for number, (caption, text) in enumerate(texts.items()):
            shown, diff = (
                differences.highlighted(text, first) if number else (html.escape(text), None)
            )
            is_marked |= bool(diff and not diff.is_empty)
            st.caption(plain(caption))
            with st.container(key=f"translation changed {number}"):
                st.html(
                    f'<p dir="auto" title="Click to select, then copy">{shown or "(nothing)"}</p>'
                )
        if is_marked:
            st.html(differences.legend(*nouns))
