"""Evaluate: a test set translated by several systems, with scores and confidence intervals."""

import streamlit as st

from s2s.ui.evaluate import chat, results, translate_file, view_state
from s2s.ui.evaluate import form as evaluate_form

run_id = st.session_state["run"]
shown = view_state.read_from_url(run_id)
if shown:
    results.panel(shown)
box = f"new evaluation {shown}"  # closed where another one is shown
with st.expander("New evaluation", icon=":material/add:", expanded=not shown, key=box):
    results.button(evaluate_form.form(run_id))
translate_file.panel(run_id)
chat.panel(run_id)
results.earlier(run_id)
