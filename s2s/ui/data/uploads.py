"""Uploads of this visit, not saved yet: a folder with the files, and the process that reads them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import streamlit as st

from s2s.data import DatasetProfile, new_upload
from s2s.ui.kit import as_markdown

SECTIONS = ("text", "preview", "lint")  # of an upload's profile, computed at once
NOTICE = (
    "An upload of this visit: stored on this server, visible to nobody but you, deleted after a day."
    " Training on it saves it."
)


@dataclass
class Upload:
    """One upload: its files as a SPEC names them, and its profile."""

    name: str
    profile: DatasetProfile
    files: tuple[str, ...] = ()
    token: str = field(default="", repr=False)
    spec: str = ""  # the SPEC that was read last

    def detect_columns(self) -> None:
        """Start detecting the columns of the files, once. Raises UserError where no process can be started."""
        if not self.profile.request and self.profile.result("offer") is None:
            self.profile.spec = ",".join(self.files)
            self.profile.start(("offer",), request=("offer",))

    def read(self, spec: str) -> None:
        """Start reading, unless this SPEC has been read already. Raises UserError where no process can be started."""
        if spec == self.spec and (self.profile.request or self.profile.result("preview")):
            return
        self.profile.clear_results()
        self.spec = self.profile.spec = spec
        self.profile.start(SECTIONS, request=("read", spec), token=self.token)


def current(origin: str) -> Upload | None:
    """The upload from that origin, unless it is over a day old."""
    found: Upload | None = st.session_state.get(_key(origin))
    return found if found and found.profile.folder.is_dir() else None


def begin(
    origin: str,
    name: str,
    contents: Iterable[tuple[str, bytes | memoryview]] = (),
    *,
    token: str = "",
    spec: str = "",
) -> Upload:
    """A new upload in place of the previous one. Raises UserError where it cannot be written."""
    discard(origin)
    profile = new_upload()
    try:
        names = tuple(profile.add_file(file, content) for file, content in contents)
        upload = Upload(name, profile, names, token, spec)
        st.session_state[_key(origin)] = upload
    except (
        BaseException
    ):  # also a visitor's next click, which interrupts a run where it touches the session's state
        profile.delete()
        raise
    return upload


def discard(origin: str) -> None:
    """Delete the upload with all its files."""
    if upload := current(origin):
        upload.profile.delete()
        del st.session_state[_key(origin)]


def notice(origin: str, upload: Upload) -> None:
    """Where the upload is stored, who sees it and for how long, with a button that deletes it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Delete now",
            key=f"drop {origin}",
            icon=":material/delete:",
            on_click=_delete,
            args=(origin,),
            help="Delete the upload and its files.",
        )
        st.caption(f"{as_markdown(f'`{upload.name}`')} · {NOTICE}")


def _delete(origin: str) -> None:
    discard(origin)
    if origin == "Paste":
        st.session_state["paste"] = ""


def _key(origin: str) -> str:
    return f"upload of {origin}"
