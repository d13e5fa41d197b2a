"""Train: choose a dataset and how long it may take, train, and watch the run."""

import streamlit as st

from s2s.ui.kit import cached
from s2s.ui.train import (
    export_targets,
    forecast,
    initialization,
    progress,
    published,
    recipe_form,
    start,
    sweep,
)

run_id = st.session_state["run"]
watched = cached.runs().get(run_id)

with st.container(border=True, key="answer"):
    source = recipe_form.choices()
    row = start.place()
    notes = st.container(gap="small")
    with st.expander(recipe_form.settings_title(), icon=":material/tune:", key="settings"):
        if watched and watched.is_live:  # its progress comes first
            notes = st.container(gap="small")
        request = initialization.panel(recipe_form.settings_of_run(source))
        export_targets.caption(request)
        outlook = forecast.panel(request, notes)
        sweep.panel(request, outlook.why_not)
    start.panel(row, request, outlook)

if published.is_published(run_id):
    published.panel(run_id, request)
else:
    progress.panel(run_id, source)
