"""Train: choose a dataset and a recipe, see the costs and the expected quality, train, and watch the run."""

import streamlit as st

from s2s.ui.kit import cached
from s2s.ui.train import (
    export_targets,
    forecast,
    initialization,
    progress,
    published,
    recipe_form,
    reproduce,
    start,
    sweep,
)

run_id = st.session_state["run"]
is_trained_here = cached.runs().get(run_id) is not None

with st.container(border=True, key="new run"):
    st.subheader("Train another model" if is_trained_here else "Train a model", anchor=False)
    choices = recipe_form.choices()
    row = start.place()
    # the run is what a visitor who watches one came for
    with (
        st.expander("Settings, costs and advice", icon=":material/tune:")
        if is_trained_here
        else st.container()
    ):
        request = initialization.panel(recipe_form.settings_of_run(choices))
        export_targets.caption(request)
        outlook = forecast.panel(request)
        sweep.panel(request, outlook.why_not)
    start.panel(row, request, outlook)

if published.is_published(run_id):
    published.panel(run_id, request)
else:
    progress.panel(run_id)
reproduce.show(request, run_id)
