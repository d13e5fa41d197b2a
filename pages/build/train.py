"""Train: choose a dataset and a recipe, see the costs and the expected quality, train, and watch the run."""

import streamlit as st

from s2s.ui.kit import cached
from s2s.ui.train import forecast, initialization, progress, recipe_form, sweep

run_id = st.session_state["run"]
is_own = cached.runs().get(run_id) is not None
if is_own:
    progress.panel(run_id)

with st.container(border=True):
    st.subheader("Train another model" if is_own else "Train a model", anchor=False)
    request = initialization.panel(recipe_form.form())
    why_not = forecast.panel(request)
    recipe_form.button(request, why_not)
    sweep.panel(request, why_not)

if not is_own:
    progress.panel(run_id)
