"""A button that starts something with what the page says when the script comes to it.

A callback would get what the button held when it was drawn: without the text or number that the visitor typed just
before the click. And a callback that touches the session dies where the visitor's next action interrupts it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st


@dataclass
class Click:
    """The clicks on one button in one visit."""

    n_done: int = 0
    is_waiting: bool = False  # one is to be carried out

    def done(self) -> None:
        """Mark the click as carried out. Call it when nothing that may be interrupted has happened since."""
        self.n_done += 1
        self.is_waiting = False


def action_button(label: str, *, key: str, **look: Any) -> Click:
    """Draw the button; returns its clicks. While `is_waiting`, carry the click out and call `done`."""
    name = f"clicks on {key}"
    if name not in st.session_state:
        st.session_state[name] = Click()
    click: Click = st.session_state[name]
    st.button(label, key=key, on_click=register, args=(click, click.n_done), **look)
    return click


def register(click: Click, n_done: int) -> None:
    """Remember a click on a button that was drawn when `n_done` had been carried out: of a double click, one counts."""
    if n_done == click.n_done:
        click.is_waiting = True
