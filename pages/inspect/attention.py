"""Attention: one sentence, every layer and head of the encoder, the decoder, and cross-attention."""

import streamlit as st

from s2s.ui.attention import (
    VIEWS,
    all_heads,
    intervention,
    read_request,
    reproduce,
    view_picker,
)

request = read_request()
if request:
    wide, narrow = st.columns([3, 2], gap="medium")
    with wide:
        view = view_picker({slug: row.label for slug, row in VIEWS.items()})
        intervention.remind(view)
        with st.container(border=True, key="picture"):
            VIEWS[view].show(request)
    with narrow, st.container(border=True, key="heads"):
        all_heads.show(request)
    reproduce.show(request)
