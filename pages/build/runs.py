"""Runs: every run with its state and score; rename, delete, resume, open."""

import streamlit as st

from s2s.ui import cached, shelf

rows = cached.listed()
if rows:
    shelf.table(rows)
else:
    shelf.empty()
shelf.actions(st.session_state["run"])
