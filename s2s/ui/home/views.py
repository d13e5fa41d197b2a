"""Where Home leads: to what can be done next, and to eight views of the models that ship."""

from __future__ import annotations

import streamlit as st

from s2s.links.share import greedy_and_beam
from s2s.ui.shell import CURATED_VIEWS, page_link


def shipped_views() -> None:
    """A plain list of links."""
    with st.container(key="views", gap="small"):
        st.subheader("Views to open", anchor=False)
        for view in CURATED_VIEWS:
            page_link(view.page, view.title, **view.values)


def doors(run_id: str, sentence: str) -> None:
    """Links to what can be done next, in one row where it fits."""
    with st.container(key="doors", horizontal=True, gap="medium"):
        page_link("lessons", "Learn in short lessons")
        page_link("data", "Use your own data")
        page_link("train", "Train your own model")
        page_link("runs", "Open a published model", set="tab:open-a-model")
        page_link("compare", "Compare decoding strategies", src=sentence, **greedy_and_beam(run_id))
