"""Attention: one sentence, every layer and head of the encoder, the decoder, and the look across."""

import streamlit as st

from s2s.ui import cached, forced, known, pickers, reading, sentence
from s2s.ui.pages import link

run = cached.open_run(st.session_state["run"])
facts = known.of(run)
with st.container():
    text = sentence.sentence_box(facts)
    sentence.unknown_words(run, facts, text)
sentence.chips(facts)

if not text:
    st.info("Type a sentence above, or press an example: its attention appears here.", icon=":material/edit:")
else:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        run = forced.checkpoint(run)
        target = forced.target(run, text)
    view_of = cached.attention(run, text, target).view
    wide, narrow = st.columns([2, 1], gap="medium")
    with wide, st.container(border=True, key="picture"):
        with st.container(horizontal=True):
            kind = pickers.kind_picker()
            view = view_of(kind)
            layer, head = pickers.layer_picker(view, mean=True), pickers.head_picker(view)
        weights, shown = reading.picture(run, kind, view, layer, head)
    with narrow:
        st.subheader("How to read it", anchor=False)
        reading.how(kind, weights, view)
        reading.download(weights, view, shown)
        link("compare", "How it was decoded", src=text)
