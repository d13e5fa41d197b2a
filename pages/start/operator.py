"""Operator: how this server is, and what its operator may do; others are asked for the key."""

import streamlit as st

from s2s.config import asker
from s2s.ui.operator import controls, figures, key_form
from s2s.ui.shell import is_operator

st.session_state["no link"] = "This page shows what only the operator may see."
if is_operator():
    with asker.acting_as(asker.OPERATOR):
        controls.results()
        figures.live()
        left, right = st.columns(2, border=True)
        with left:
            controls.queue_controls()
        with right:
            controls.notice()
        figures.workspace_table()
        controls.delete_workspace()
        figures.slow_runs()
        figures.last_errors()
        figures.job_logs()
else:
    key_form.key_form()
