"""One line that says what was deleted, with the button that takes it back."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st


def undo_row(said: str, undo: Callable[..., None], *args: object, key: str, help: str = "") -> None:
    """`said` is markdown; `undo` is called with `args`."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{key} row"):
        st.markdown(said, width="content")
        st.button(
            "Undo",
            key=key,
            icon=":material/undo:",
            on_click=undo,
            args=args,
            help=help or None,
        )
