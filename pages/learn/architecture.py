"""Architecture: a diagram of the model, and its parameters, costs and masks."""

import streamlit as st

from s2s.ui.architecture import component_card, request, views

asked = request.ask()
left, right = st.columns([3, 2], gap="medium")
with left, st.container(border=True, key="diagram"):
    component_card.show_diagram(asked)
with right, st.container(border=True, key="part"):
    component_card.show_card(asked)
views.show(asked)
