"""States: word vectors layer by layer: a map, one word in two sentences, nearest neighbors, the logit lens."""

import streamlit as st

from s2s.links import share
from s2s.ui.kit import sentence_row
from s2s.ui.shell import page_link
from s2s.ui.states import STATE, fill_first_sentence, show

STATE.from_url()
fill_first_sentence()
row = sentence_row("its states")
if row.text:
    show(row)
    shown = {key: st.query_params[key] for key in ("step", "tgt") if key in st.query_params}
    with st.container(horizontal=True):
        page_link("attention", "Attention of this sentence", src=row.text, **shown)
        how = {"set": share.pack({"strategy": STATE.value("strategy")})}
        page_link("steps", "Why each word was written", src=row.text, **shown, **how)
