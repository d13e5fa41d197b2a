"""Links from Home to what can be done next."""

from __future__ import annotations

import streamlit as st

from s2s.share import greedy_and_beam
from s2s.ui.shell import page_link


def doors(run_id: str, sentence: str) -> None:
    """In one row, where it fits."""
    with st.container(key="doors", horizontal=True, gap="medium"):
        page_link("lessons", "Learn in short lessons")
        page_link("data", "Use your own data")
        page_link("train", "Train your own model")
        page_link("runs", "Open a published model", set="tab:open-a-model")
        page_link("compare", "Compare decoding strategies", src=sentence, **greedy_and_beam(run_id))
