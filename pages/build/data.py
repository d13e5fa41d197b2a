"""Data: choose or upload a dataset, see its statistics and its faults, choose the task, train on it."""

import streamlit as st

from s2s.ui.data import overview, sources, views

views.read_from_url()
origin = sources.origin_picker()
with st.container(border=True, key="dataset"):
    chosen = sources.chosen(origin)

if chosen:
    with st.container(horizontal=True, key="dataset actions"):
        overview.train_button(chosen)
        views.export(chosen)
    with st.container(key="counts"):
        overview.counts(chosen.preview)
        overview.notes(chosen.preview)
    views.show(chosen)
    views.show_code(chosen)
views.write_to_url(origin)
