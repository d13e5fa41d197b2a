"""Architecture: the machine taken apart, as a drawing and in numbers: sizes, costs, T5's table, masks."""

import streamlit as st

from s2s.ui import architecture, architecture_part
from s2s.ui.architecture_views import VIEWS

asked = architecture.ask()
left, right = st.columns([3, 2], gap="medium")
with left, st.container(border=True, key="machine box"):
    architecture_part.picture(asked)
with right, st.container(border=True, key="part"):
    architecture_part.card(asked)
VIEWS[
    architecture.choice(
        "view", "View", {slug: row.label for slug, row in VIEWS.items()}, is_list=False
    )
].show(asked)
