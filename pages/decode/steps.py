"""Steps: one sentence and why each word was written: the search tree, the next word, the samples."""

import streamlit as st

from s2s.ui.kit import cached
from s2s.ui.steps import request
from s2s.ui.steps.views import VIEWS

asked = request.ask(cached.open_run(st.session_state["run"]))
if asked:
    view = request.view_picker({slug: row.label for slug, row in VIEWS.items()})
    VIEWS[view].show(asked)
