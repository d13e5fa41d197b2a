"""The Share button: the page's view as a full link."""

from __future__ import annotations

import streamlit as st

from s2s import share
from s2s.ui.shell.pages import Page


def share_button(page: Page) -> None:
    """A popover with the link."""
    with st.popover("Share", icon=":material/link:"):
        if why := st.session_state.get("no link"):
            st.caption(why)
            return
        st.caption("This link opens what you see now, on any computer that can reach this server.")
        st.code(page_url(page), language=None, wrap_lines=True)


def page_url(page: Page) -> str:
    """The page's full address, every value written out."""
    values = {key: share.printable(str(st.session_state.get(key) or "")) for key in page.keys}
    view = {key: value for key, value in values.items() if value or key == "src"}
    return share.link(st.context.url or "", view)
