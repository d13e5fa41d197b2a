"""Attention: one sentence, every layer and head of the encoder, the decoder, and the look across."""

import streamlit as st

from s2s.ui.attention import heads, request
from s2s.ui.attention.views import VIEWS

asked = request.ask()
if asked:
    wide, narrow = st.columns([3, 2], gap="medium")
    with wide:
        view = request.view_picker({slug: row.label for slug, row in VIEWS.items()})
        with st.container(border=True, key="picture"):
            VIEWS[view].show(asked)
    with narrow, st.container(border=True, key="heads"):
        heads.show(asked)
