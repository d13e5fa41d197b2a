"""Architecture: the machine taken apart, as a drawing and in numbers: sizes, costs, T5's table, masks."""

import streamlit as st

from s2s.ui.architecture import module, request
from s2s.ui.architecture.views import VIEWS

asked = request.ask()
left, right = st.columns([3, 2], gap="medium")
with left, st.container(border=True, key="machine box"):
    module.picture(asked)
with right, st.container(border=True, key="part"):
    module.card(asked)
VIEWS[
    request.choice("view", "View", {slug: row.label for slug, row in VIEWS.items()}, is_list=False)
].show(asked)
