"""Steps: one sentence and why each word was written: the search tree, the next word, the samples."""

import streamlit as st

from s2s.ui import cached, steps
from s2s.ui.views import VIEWS

asked = steps.ask(cached.open_run(st.session_state["run"]))
if asked:
    view = steps.view_picker({slug: row.label for slug, row in VIEWS.items()})
    VIEWS[view].show(asked)
