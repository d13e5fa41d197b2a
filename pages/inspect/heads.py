"""Heads: what each attention head does over many sentences, and whether it matters."""

import streamlit as st

from s2s.ui.heads import VIEWS, read_request, reproduce

request = read_request({slug: row.label for slug, row in VIEWS.items()})
view = VIEWS[request.view]
st.caption(view.question)
with st.container(border=True, key="heads content"):
    view.show(request)
reproduce.show(request)
