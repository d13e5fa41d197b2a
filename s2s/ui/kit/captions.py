"""A translation as pages show it."""

from __future__ import annotations

import html
import math
import re

import streamlit as st

from s2s.runs import Decoded
from s2s.ui.kit.glossary import definitions
from s2s.words import nats, percent


def show_translation(decoded: Decoded) -> None:
    """Large; a click selects it. (`st.code` would bring a copy icon, and 0.8 s of highlighter before the picture.)"""
    with st.container(key="translation"):
        text = html.escape(decoded.text) or "(empty)"
        st.html(f'<p dir="auto" title="Click to select, then copy">{text}</p>')


def log_probability(decoded: Decoded) -> None:
    """How probable the model finds its translation."""
    is_ended = decoded.tokens[-1:] == ("</s>",)
    of_what = "this sentence" if is_ended else "sentences that begin like this"
    st.caption(
        f"Log-probability {nats(decoded.log_prob)} nats: the model gives {of_what} a probability of"
        f" {percent(math.exp(decoded.log_prob))}.",
        help=definitions("cross-attention", "step", "log-probability", "nats"),
    )


def file_name(title: str) -> str:
    """A title as a file's name: letters, digits and hyphens."""
    return re.sub(r"[^\w-]+", "-", title).strip("-")
