"""The saved datasets on the Data page: choose one, rename it, delete it."""

from __future__ import annotations

import streamlit as st

from s2s.config import UserError, asker
from s2s.data import saved_datasets
from s2s.library import Library
from s2s.links.share import printable
from s2s.ui.kit import cached, forms, plain, shortened, unique_names
from s2s.ui.streamlit_parts import DeltaGenerator

KEY = "saved"  # in the session: the SPEC of the chosen one
REFUSED = "refused dataset"  # in the session: why the last change was refused
LOCAL = "Stored on this server until it is deleted. Everybody who uses this server sees it."
HOSTED = "Stored on this server until it is deleted or expires. Only you see it."
# states of runs that would read their dataset again
NEEDING = ("queued", "starting", "running", "stopped", "interrupted")


def choose(row: DeltaGenerator) -> tuple[str, str] | None:
    """Draw the picker; returns SPEC and name of the chosen dataset, None where nothing has been saved."""
    names = unique_names({saved.spec: saved.name for saved in cached.datasets()})
    if not names:
        with st.container(key="answer"):
            st.info(
                "No saved datasets yet: upload or paste one and train on it, and it is saved here.",
                icon=":material/inventory_2:",
            )
        return None
    # One that is gone gives way to none: another dataset is never chosen for the visitor.
    if st.session_state.setdefault(KEY, next(iter(names))) not in names:
        st.session_state[KEY] = None
    spec = row.selectbox(
        "Dataset",
        list(names),
        format_func=names.__getitem__,
        key=KEY,
        placeholder="Choose a dataset",
        persist_state="session",
        label_visibility="collapsed",
        width=260,
    )
    if refused := st.session_state.pop(REFUSED, None):
        forms.show_error(refused)
    return (spec, names[spec]) if spec else None


def change(spec: str) -> None:
    """Draw the buttons that rename and delete a saved dataset."""
    name = cached.dataset_name(spec)
    _rename_button(spec, name)
    _delete_button(spec, name)


def _rename_button(spec: str, name: str) -> None:
    hash = spec.partition(":")[2]
    with st.popover("Rename", icon=":material/edit:", key=f"change {hash}"):
        st.text_input(
            "Name", name, key=f"name {hash}", max_chars=80, on_change=_rename, args=(hash,)
        )
        st.caption(HOSTED if asker.is_hosted() else LOCAL)


def _delete_button(spec: str, name: str) -> None:
    """Draw a button that asks once more. The keys contain the dataset's hash, so that the popover closes when the
    dataset is gone.
    """
    hash = spec.partition(":")[2]
    with st.popover("Delete", icon=":material/delete:", key=f"away {hash}"):
        st.write(
            "You cannot undo this. Runs trained on it remain, but they cannot be resumed without it."
        )
        rows = [row for row in cached.own_runs() if row.source.partition("#")[0] == spec]
        if n := sum(row.state in NEEDING for row in rows):
            need = "runs need" if n > 1 else "run needs"
            st.warning(f"{n} waiting, training or stopped {need} it.", icon=":material/warning:")
        st.button(
            f"Delete {plain(shortened(name))}",
            key=f"delete text {hash}",
            on_click=_delete,
            args=(hash,),
            type="primary",
        )


def _rename(hash: str) -> None:
    name = printable(str(st.session_state[f"name {hash}"]))
    try:
        saved_datasets.rename(Library().dataset(hash, "change"), name)
    except UserError as wrong:
        st.session_state[REFUSED] = wrong


def _delete(hash: str) -> None:
    try:
        saved_datasets.delete(Library().dataset(hash, "delete"))
    except UserError as wrong:
        st.session_state[REFUSED] = wrong
