"""My workspace: what the visitor has stored on this server, and what can be done with all of it."""

import streamlit as st

from s2s.config import asker
from s2s.ui.shell import account
from s2s.ui.workspace import actions, contents, sign_in

st.session_state["no link"] = "This page shows what is yours alone, so there is no link to it."
actions.notices()
if asker.current() != asker.NOBODY:
    has_contents = contents.contents()
    left, right = st.columns(2, border=True)
    with left:
        sign_in.sign_in()
        if not account():
            actions.recovery_link()
    with right:
        if has_contents:
            actions.export()
        actions.delete()
