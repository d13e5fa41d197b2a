"""The Share button: the page's view as a full link."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from s2s import share
from s2s.ui.canvas import copy_button
from s2s.ui.shell.pages import Page

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


def share_button(page: Page) -> None:
    """A popover with the link."""
    with st.popover("Share", icon=":material/link:"):
        if why := st.session_state.get("no link"):
            st.caption(why)
            return
        url = page_url(page)
        is_local = urlsplit(url).hostname in LOCAL
        reach = (
            "only on this computer" if is_local else "on any computer that can reach this server"
        )
        st.caption(f"This link opens what you see now, {reach}.")
        st.code(url, language=None, wrap_lines=True)
        copy_button(url, key="copy link")


def page_url(page: Page) -> str:
    """The page's full address, every value written out."""
    values = {key: share.printable(str(st.session_state.get(key) or "")) for key in page.keys}
    view = {key: value for key, value in values.items() if value or key == "src"}
    return share.link(st.context.url or "", view)
