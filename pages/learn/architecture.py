"""Architecture: a diagram of the model, and its parameters, costs and masks."""

import streamlit as st

from s2s.ui.architecture import component_card, reproduce, views
from s2s.ui.architecture.request import read_request

request = read_request()
left, right = st.columns([3, 2], gap="medium")
with left, st.container(border=True, key="diagram"):
    component_card.show_diagram(request)
with right, st.container(border=True, key="part"):
    component_card.show_card(request)
with st.container(key="architecture"):
    views.show(request)
reproduce.show(request)
