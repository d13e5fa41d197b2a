"""Walkthrough: one sentence through the model, step by step, with the model's own numbers."""

import streamlit as st

from s2s.ui.walkthrough import layout
from s2s.ui.walkthrough.request import next_below, read_request
from s2s.ui.walkthrough.steps import STEPS

with st.container(key="walkthrough"):
    asked = read_request(STEPS)
    if asked:
        layout.show(asked)
        next_below(STEPS)
