"""Data: choose a text or bring one, see what is in it, train on it."""

import streamlit as st

from s2s.ui import corpus, sources

origin = sources.origin()
with st.container(border=True):
    chosen = sources.chosen(origin)

if chosen:
    corpus.actions(chosen)
    corpus.numbers(chosen.preview)
    corpus.notes(chosen.preview)
    pairs, lengths = st.columns(2, gap="medium")
    with pairs, st.container(border=True):
        corpus.pairs(chosen.preview)
    with lengths, st.container(border=True):
        corpus.lengths(chosen)
