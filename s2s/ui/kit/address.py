"""Values in the address that no single widget holds: `c1`, `set`, `tgt`. Bound widgets look after themselves."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from s2s.share import MAX_LENGTH, printable


def arrived(key: str) -> str | None:
    """What the address newly says: from a link, or because somebody went Back. None where it says what it said before.

    Going Back to where the address had no such value gives an empty text.
    """
    given = st.query_params.get(key)
    known = st.session_state.get(_mark(key))
    if given == known:
        return None
    st.session_state[_mark(key)] = given
    return printable(given or "")[:MAX_LENGTH]


def hold(key: str, value: str, default: str = "") -> None:
    """Keep a value in the session, and in the address unless it is what one finds there without any."""
    st.session_state[key] = value
    written = None if value == default else value
    if st.query_params.get(key) != written:
        if written is None:
            del st.query_params[key]
        else:
            st.query_params[key] = written
    st.session_state[_mark(key)] = written


def turn_page(url_path: str, keys: Sequence[str]) -> None:
    """On a page that was not open before: what the browser dropped from the address is no wish to forget it."""
    if st.session_state.get("page") != url_path:
        st.session_state["page"] = url_path
        st.session_state["no link"] = ""
        if "src" in st.session_state and "src" not in st.query_params:
            st.session_state["src"] = st.session_state[
                "src"
            ]  # what a first address brought, and nobody touched, would be dropped
        for key in keys:
            st.session_state.pop(_mark(key), None)


def _mark(key: str) -> str:
    return f"{key} in the address"
