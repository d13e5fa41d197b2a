"""Train: choose a text and a recipe, see what it will cost and what to expect, press Train, watch."""

import streamlit as st

from s2s.ui import before, cached, origin, recipe, sweep, watch

run_id = st.session_state["run"]
is_own = cached.runs().get(run_id) is not None
if is_own:
    watch.panel(run_id)

with st.container(border=True):
    st.subheader("Train another" if is_own else "Train a model of your own", anchor=False)
    asked = origin.panel(recipe.form())
    why_not = before.panel(asked)
    recipe.button(asked, why_not)
    sweep.panel(asked, why_not)

if not is_own:
    watch.panel(run_id)
