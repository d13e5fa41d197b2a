"""What a visitor reads who opened a short link: that the view was shared, and what its sender wrote."""

from __future__ import annotations

import streamlit as st

from s2s import short_links
from s2s.config import UserError
from s2s.short_links import Content
from s2s.ui.kit import plain
from s2s.ui.shell.short_link_route import KEY

ARRIVED = "arrived by"  # in the session: the content of the short link


def read_letters() -> None:
    """At a visitor's first run: who sent the view? Of a link that is gone nothing is said; its view still opens."""
    letters = st.query_params.get(KEY)
    if letters is None:
        return
    try:
        st.session_state[ARRIVED] = short_links.find(letters).content
    except UserError:
        st.session_state[ARRIVED] = None


def show_arrival(page: str) -> None:
    """A line above the page that the link opened, until it is dismissed."""
    content: Content | None = st.session_state.get(ARRIVED)
    if content is None or content.page != page:
        return
    with st.container(
        key="arrival", horizontal=True, vertical_alignment="center", border=True, gap="small"
    ):
        st.markdown(f":material/link: {_words(content)}", width="stretch")
        st.button(
            "Dismiss",
            key="dismiss arrival",
            icon=":material/close:",
            type="tertiary",
            on_click=_dismiss,
        )


def _words(content: Content) -> str:
    said = "You are looking at a shared view"
    if content.title:
        said += f": **{plain(content.title)}**"
    return f"{said}. {plain(content.note)}" if content.note else f"{said}."


def _dismiss() -> None:
    st.session_state[ARRIVED] = None
