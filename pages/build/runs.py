"""Runs: every run with its state and score; rename, delete, resume, open."""

import streamlit as st

from s2s.ui import cached, shelf

if cached.listed():
    shelf.table()
else:
    shelf.empty()
shelf.actions(st.session_state["run"])
