"""Evaluate: a test set, translated by several systems, with scores that say how sure they are."""

import streamlit as st

from s2s.ui import chat, evaluation, evaluation_address, evaluation_file, evaluation_form

run_id = st.session_state["run"]
shown = evaluation_address.arrive(run_id)
if shown:
    evaluation.panel(shown)

with st.container(border=True):
    st.subheader("Evaluate something else" if shown else "What to evaluate", anchor=False)
    form = evaluation_form.form(run_id)
    evaluation.button(form)
evaluation_file.panel(run_id)
chat.panel(run_id)
evaluation.earlier(run_id)
evaluation_address.hold(run_id, shown, form.packed)
