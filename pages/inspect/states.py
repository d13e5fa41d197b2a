"""States: word vectors layer by layer: a map, one word in two sentences, nearest neighbors, the logit lens."""

import streamlit as st

from s2s import share
from s2s.ui.shell import page_link
from s2s.ui.states import VIEWS, read_request, reproduce
from s2s.ui.states.view_state import STATE

labels = {slug: row.label for slug, row in VIEWS.items()}
sides = {slug: row.side for slug, row in VIEWS.items() if row.side}
request = read_request(labels, sides)
if request:
    with st.container(border=True, key="states"):
        VIEWS[request.view].show(request)
    with st.container(horizontal=True):
        page_link("attention", "Attention of this sentence", src=request.text, tgt=request.target)
        how = {"step": str(request.run.step), "set": share.pack({"strategy": STATE.now.strategy})}
        page_link("steps", "Why each word was written", src=request.text, **how)
    reproduce.show(request)
