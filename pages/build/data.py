"""Data: upload, paste or choose a dataset, read what it is like, choose its task, train on it."""

import streamlit as st

from s2s.ui.data import actions, sources, views

views.read_from_url()
origin = sources.origin_picker()
row = st.container(horizontal=True, vertical_alignment="bottom", key="dataset")
chosen = sources.chosen(origin, row)

if chosen:
    with row:
        actions.train_button(chosen)
        st.caption(chosen.about, width="stretch")
    views.show_view(chosen)
    with st.container(horizontal=True, vertical_alignment="center", key="dataset actions"):
        actions.export(chosen)
        sources.last_actions(origin, chosen)
views.write_to_url(origin)
