"""Walkthrough: one sentence through the model, step by step, with the model's own numbers."""

import streamlit as st

from s2s.ui.walkthrough import layout, reproduce
from s2s.ui.walkthrough.request import next_below, read_request
from s2s.ui.walkthrough.steps import STEPS

with st.container(key="walkthrough"):  # on a phone, the picture is before the controls
    request = read_request(STEPS)
    if request:
        layout.show(request)
        next_below(STEPS)
        reproduce.show(request.sentence)
