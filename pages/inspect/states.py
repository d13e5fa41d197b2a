"""States: the vectors of words by layer: a map, one word in two sentences, neighbours, the logit lens."""

import streamlit as st

from s2s.ui.shell.pages import page_link
from s2s.ui.states import request
from s2s.ui.states.views import VIEWS

labels, sides = (
    {slug: value for slug, row in VIEWS.items() if (value := getattr(row, name))}
    for name in ("label", "side")
)
asked = request.ask(labels, sides)
if asked:
    with st.container(border=True, key="states"):
        VIEWS[asked.view].show(asked)
    with st.container(horizontal=True):
        page_link("attention", "Attention of this sentence", src=asked.text, tgt=asked.target)
        page_link("steps", "Why each word was written", src=asked.text)
