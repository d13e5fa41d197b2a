"""The uploads of a visit: begun here, or opened by an address, which names them by an id that cannot be guessed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

import streamlit as st

from s2s.config import DeniedError, UserError, asker
from s2s.data import Upload, uploads
from s2s.library import Library
from s2s.ui.kit import as_markdown, shortened

PREFIX = "upload:"  # of an upload in the address
UPLOAD, PASTE = "Upload", "Paste"  # origins: of both, a visit has one upload
NOTICE = (
    "An upload, stored on this server for a day. Only this page's address opens it, also after a reload or in"
    " another tab. Training on it saves it."
)
GONE = "This upload is no longer here: it was deleted, or it was over a day old; upload it again."


def address(upload: Upload) -> str:
    """What names an upload in a link: `upload:ID#src=en,tgt=de`."""
    options = ",".join(f"{option}={value}" for option, value in upload.choices.items())
    return f"{PREFIX}{upload.id}#{options}" if options else f"{PREFIX}{upload.id}"


def open_linked(spec: str) -> Upload:
    """Open the upload that a link names, unless this visit has it open already.

    Raises UserError if it is gone.
    """
    id, _, options = spec.removeprefix(PREFIX).partition("#")
    try:
        found = Library().upload(id)
    except DeniedError as error:
        raise UserError(GONE) from error
    known = current(found.origin)
    if known and known.id == id:
        return known
    items = (item.partition("=") for item in options.split(","))
    found.choices = {option: value for option, equals, value in items if equals}
    if not found.saved:
        st.session_state[_key(found.origin)] = found
    return found


def current(origin: str) -> Upload | None:
    """The upload from that origin; None where there is none or its files are gone."""
    found: Upload | None = st.session_state.get(_key(origin))
    return found if found and found.is_there else None


def lost(origin: str) -> Upload | None:
    """The upload from that origin if its files are gone, which this visit then forgets; else None."""
    found: Upload | None = st.session_state.get(_key(origin))
    if found is None or found.is_there:
        return None
    del st.session_state[_key(origin)]
    with contextlib.suppress(DeniedError):
        return Library().upload(found.id)
    return found


def begin(
    origin: str,
    name: str,
    contents: Iterable[tuple[str, bytes | memoryview]] = (),
    *,
    token: str = "",
) -> Upload:
    """A new upload in place of the previous one. Raises UserError where it cannot be written."""
    discard(origin)
    upload = uploads.begin(origin, name, contents, owner=asker.current(), token=token)
    try:
        st.session_state[_key(origin)] = upload
    except (
        BaseException
    ):  # a visitor's next click interrupts a run where it touches the session's state
        upload.delete()
        raise
    return upload


def discard(origin: str) -> None:
    """Delete the upload with all its files."""
    if upload := current(origin):
        upload.delete()
        del st.session_state[_key(origin)]


def notice(origin: str, upload: Upload) -> None:
    """Draw where the upload is stored, who opens it and for how long, with a button that deletes it."""
    st.button(
        "Delete now",
        key=f"drop {origin}",
        icon=":material/delete:",
        on_click=_delete,
        args=(origin, upload.name),
        help="Delete the upload and its files.",
    )
    st.caption(f"{as_markdown(f'`{shortened(upload.name, 60)}`')} · {NOTICE}")


def _delete(origin: str, name: str) -> None:
    discard(origin)
    st.session_state[deleted_key(origin)] = name
    if origin == UPLOAD:
        st.session_state["paste"] = st.session_state["pasted"] = ""


def deleted_key(origin: str) -> str:
    """The session's key for the name of the upload deleted last, which is kept for one script run."""
    return f"deleted {origin}"


def _key(origin: str) -> str:
    return f"upload of {UPLOAD if origin == PASTE else origin}"
