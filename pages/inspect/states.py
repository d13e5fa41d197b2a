"""States: word vectors layer by layer: a map, one word in two sentences, nearest neighbors, the logit lens."""

import streamlit as st

from s2s.links import share
from s2s.ui.kit import sentence_row
from s2s.ui.shell import page_link
from s2s.ui.states import LABELS, VIEWS, fill_first_sentence, read_request, reproduce, same_word
from s2s.ui.states.view_state import STATE

STATE.from_url()
fill_first_sentence()
row = sentence_row("its states")
if row.text:
    view = STATE.segments("view", "View", LABELS, label_visibility="collapsed")
    shown = {"src": row.text}
    if view == "same":
        same_word.show(row)
    else:
        request = read_request(row, view, VIEWS[view].side)
        with st.container(border=True, key="states"):
            VIEWS[view].show(request)
        reproduce.show(request)
        shown |= {"tgt": request.target, "step": str(request.run.step)}
    with st.container(horizontal=True):
        page_link("attention", "Attention of this sentence", **shown)
        how = {"set": share.pack({"strategy": STATE.now.strategy})}
        page_link("steps", "Why each word was written", **shown, **how)
