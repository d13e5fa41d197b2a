"""Steps: one sentence and why each word was written: the search tree, the next token, the samples."""

import streamlit as st

from s2s.ui.kit import cached
from s2s.ui.steps import VIEWS, read_request, reproduce, view_picker

request = read_request(cached.open_run(st.session_state["run"]))
if request:
    view = view_picker({slug: row.label for slug, row in VIEWS.items()})
    VIEWS[view].show(request)
    reproduce.show(request)
