"""Files that were uploaded: each is opened once, however often the page runs, unless it may work later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

from s2s.config import LaterError, UserError
from s2s.ui.streamlit_parts import UploadedFile

R = TypeVar("R")


def read_once(
    name: str,
    files: Sequence[UploadedFile],
    read: Callable[..., R],
    *settings: object,
) -> R:
    """What `read` makes of the files, as (name, content), and of the settings. Raises its UserError each time."""
    asked = ([file.file_id for file in files], settings)
    key = f"read {name}"
    if st.session_state.get(key, (None,))[0] != asked:
        try:
            found: R | UserError = read([(file.name, file.getvalue()) for file in files], *settings)
        except LaterError:
            raise
        except UserError as error:
            found = error
        st.session_state[key] = (asked, found)
    _, found = st.session_state[key]
    if isinstance(found, UserError):
        raise found
    return found
