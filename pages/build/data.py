"""Data: choose a text or bring one, see what is in it and what is wrong with it, choose what is learnt from it, train on it."""

import streamlit as st

from s2s.ui.data import overview, prepare, sources

prepare.arrive()
origin = sources.origin()
with st.container(border=True):
    chosen = sources.chosen(origin)

if chosen:
    with st.container(horizontal=True):
        overview.actions(chosen, origin)
        prepare.take_away(chosen)
    overview.numbers(chosen.preview)
    overview.notes(chosen.preview)
    prepare.views(chosen)
prepare.hold(chosen)
