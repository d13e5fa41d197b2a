"""A run as one zip: the button that downloads it, and the field that opens one."""

from __future__ import annotations

from functools import partial

import streamlit as st

from s2s.config import UserError, asker
from s2s.jobs import run_archives
from s2s.library import Library
from s2s.ui.kit import as_markdown, cached, file_name, forms

NUMBER = (
    "n run zips"  # in the session: how many were given; a new field frees the memory of the old one
)
FAILED = "failed run zip"  # in the session: why the last one was not opened
HELP = (
    "One zip with its recipe, curves, sample translations, checkpoints and tokenizers, and the SHA-256 of each file. It"
    " quotes sentences of its dataset."
)


def download_button(run_id: str) -> None:
    """Draw the button that downloads a run as a zip, unless it waits or may only be looked at."""
    try:
        folder = Library().run(run_id, "download")
    except UserError:
        return
    if why := run_archives.too_large(folder):
        st.caption(as_markdown(why))
        return
    st.download_button(
        "Download the run",
        asker.for_this_visitor(partial(run_archives.download, run_id)),
        f"{file_name(cached.title(run_id))}.zip",
        "application/zip",
        key="download run",
        on_click="ignore",
        icon=":material/folder_zip:",
        help=HELP,
    )


def field() -> None:
    """Draw a field that opens a run from a zip."""
    error = st.session_state.pop(FAILED, None)
    with st.expander(
        "Open a run from a zip", expanded=error is not None, icon=":material/folder_zip:"
    ):
        key = f"run zip {st.session_state.setdefault(NUMBER, 0)}"
        st.file_uploader(
            "A zip that Download the run wrote", "zip", key=key, on_change=_open, args=(key,)
        )
        st.caption(
            "Of this computer or of another one. All its files are checked first. It becomes a new run of yours, which"
            " nobody else sees; it can be trained further where its dataset is here, too."
        )
        if error:
            forms.show_error(error)


def _open(key: str) -> None:
    file = st.session_state[key]
    if file is None:
        return
    st.session_state[NUMBER] += 1
    try:
        run_id = run_archives.bring_in(file.getvalue(), file.name, asker.current())
    except UserError as error:
        st.session_state[FAILED] = error
        return
    cached.refresh_runs()
    st.session_state["run"] = run_id
