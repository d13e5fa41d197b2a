"""Where Home leads: to what can be done next, and to views of the models that ship."""

from __future__ import annotations

import html

import streamlit as st

from s2s.links.share import greedy_and_beam
from s2s.ui.shell import CURATED_VIEWS, page_link, small_picture


def curated_views() -> None:
    """Draw cards, each with a picture and what there is to see; a press anywhere opens it."""
    with st.container(key="views"):
        st.subheader("Views to open", anchor=False)
        with st.grid("auto", min_column_width=185, border=True) as grid:
            for view in CURATED_VIEWS:
                with grid.cell():
                    page_link(view.page, view.title, **view.values)
                    st.html(f"{small_picture(view.name)}<p>{html.escape(view.about)}</p>")


def doors(run_id: str, sentence: str) -> None:
    """Draw links to what can be done next, in one row where it fits."""
    with st.container(key="doors", horizontal=True, gap="medium"):
        page_link("lessons", "Short lessons")
        page_link("walkthrough", "Step by step through the model")
        page_link("data", "Your own data")
        page_link("train", "Train your own model")
        page_link("runs", "Open a published model", set="tab:open-a-model")
        page_link("compare", "Compare decoding strategies", src=sentence, **greedy_and_beam(run_id))
