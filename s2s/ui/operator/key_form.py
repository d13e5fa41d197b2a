"""Asks for the operator's key."""

from __future__ import annotations

import streamlit as st

from s2s.config import UserError
from s2s.ui.kit import forms
from s2s.ui.shell import identify_operator

REFUSED = "refused operator"  # in the session: why the key was refused


def key_form() -> None:
    """Draw the field for the operator's key. The key is kept nowhere: the session remembers only that it was right."""
    with st.form("operator", clear_on_submit=True, width=480):
        st.text_input("Operator's key", type="password", key="operator key")
        st.form_submit_button("Continue", type="primary", on_click=_identify)
    if refused := st.session_state.pop(REFUSED, None):
        forms.show_error(refused)


def _identify() -> None:
    key = st.session_state["operator key"]
    st.session_state["operator key"] = ""
    try:
        identify_operator(key)
    except UserError as error:
        st.session_state[REFUSED] = error
