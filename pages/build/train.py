"""Train: choose a text and a recipe, see what it will cost and what to expect, press Train, watch."""

import streamlit as st

from s2s.ui.kit import cached
from s2s.ui.train import forecast, initialization, progress, recipe, sweep

run_id = st.session_state["run"]
is_own = cached.runs().get(run_id) is not None
if is_own:
    progress.panel(run_id)

with st.container(border=True):
    st.subheader("Train another" if is_own else "Train a model of your own", anchor=False)
    asked = initialization.panel(recipe.form())
    why_not = forecast.panel(asked)
    recipe.button(asked, why_not)
    sweep.panel(asked, why_not)

if not is_own:
    progress.panel(run_id)
