"""A translation without and with a change of the model, one below the other, differences marked."""

from __future__ import annotations

import html

import streamlit as st

from s2s.runs import Decoded
from s2s.ui.kit import differences
from s2s.ui.kit.captions import nats


def both_translations(before: Decoded, after: Decoded) -> None:
    """`after.log_prob` is the changed model's."""
    highlighted, diff = differences.highlighted(after.text, before.text)
    texts = (
        ("Without", before, html.escape(before.text), ""),
        ("With", after, highlighted, ", by the changed model"),
    )
    with st.container(gap="xsmall"):
        for name, one, text, by in texts:
            st.caption(f"{name} the change · log-probability {nats(one.log_prob)} nats{by}")
            with st.container(key=f"translation changed {name}"):
                st.html(
                    f'<p dir="auto" title="Click to select, then copy">{text or "(nothing)"}</p>'
                )
        if diff and not diff.is_empty:
            st.html(differences.legend("the new translation", "the old one"))
