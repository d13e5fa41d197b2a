"""A text that a visitor brings, and what is found out about any text: made by a process beside the page, shown while it is made."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from s2s.config import DataConfig, UserError
from s2s.data import PROFILE_SECTIONS, DatasetProfile, ReadingState, new_upload, profile_of
from s2s.ui.kit import forms
from s2s.ui.kit.text import as_markdown, duration

FIRST = ("text", "preview", "lint")  # of a text that is brought
PULSE = 0.4  # seconds between two looks at a reading
PATIENCE = 1.5  # seconds that a page waits before it shows a progress bar
USUAL = DataConfig()


@dataclass
class Draft:
    """One text that is being brought: the files as a spec names them, and the process that reads them."""

    name: str
    study: DatasetProfile
    files: tuple[str, ...] = ()
    token: str = field(default="", repr=False)
    asked: str = ""  # the spec that was read last

    def look(self) -> None:
        """Have the columns of the files looked at, once. Raises UserError where no process can be started."""
        if not self.study.request and self.study.result("offer") is None:
            self.study.spec = ",".join(self.files)
            self.study.start(("offer",), request=("offer",))

    def read(self, spec: str) -> None:
        """Read it, or read it anew because the spec is another one. Raises UserError where no process can be started."""
        if spec == self.asked and (self.study.request or self.study.result("preview")):
            return
        self.study.clear_results()
        self.asked = self.study.spec = spec
        self.study.start(FIRST, request=("read", spec), token=self.token)


def held(origin: str) -> Draft | None:
    """The draft of this visit that came that way, unless its day is over."""
    found: Draft | None = st.session_state.get(f"draft {origin}")
    return found if found and found.study.folder.is_dir() else None


def begin(
    origin: str, name: str, contents: Iterable[tuple[str, bytes | memoryview]] = (), **details: Any
) -> Draft:
    """A new draft, in place of the one before. Raises UserError where nothing can be written."""
    drop(origin)
    fresh = new_upload()
    try:
        names = tuple(fresh.add_file(file, content) for file, content in contents)
        draft = Draft(name, fresh, names, **details)
        st.session_state[f"draft {origin}"] = draft
    except BaseException:  # a visitor's next click among them: Streamlit ends a run where it touches the session's state
        fresh.delete()
        raise
    return draft


def _delete(origin: str) -> None:
    """What the button does: a pasted text goes from its box, too."""
    drop(origin)
    if origin == "Paste":
        st.session_state["paste"] = ""


def drop(origin: str) -> None:
    """Delete it, with all its files."""
    if draft := held(origin):
        draft.study.delete()
        del st.session_state[f"draft {origin}"]


def whereabouts(origin: str, draft: Draft) -> None:
    """Where the text is, who sees it, when it goes; and the way to be rid of it at once."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Delete now",
            key=f"drop {origin}",
            icon=":material/delete:",
            on_click=_delete,
            args=(origin,),
            help="The text and its files.",
        )
        where = "On this server only, as a draft of this visit that nobody but you is shown; training on it keeps it."
        where += " Deleted after a day, or now."
        st.caption(f"{as_markdown(f'`{draft.name}`')} · {where}")


def study_of(spec: str) -> DatasetProfile:
    """Of a kept text or one that ships, with the process that this visit has at work there."""
    studies: dict[str, DatasetProfile] = st.session_state.setdefault("studies", {})
    if spec not in studies:
        studies[spec] = profile_of(spec)
    return studies[spec]


def is_ready(of: DatasetProfile, what: str = "text") -> bool:
    """Whether what was asked for is there. Meanwhile: how far it is, with a way to stop it; or why it failed, and once more.

    `what` tells two of these on one page apart.
    """
    state = _soon(of)
    if not state.is_over:
        st.fragment(_progress, run_every=PULSE)(of, what)
        return False
    if state.error:
        forms.show_error(UserError(state.error))
        st.button(
            "Try again",
            key=f"again {what} {of.folder.name}",
            icon=":material/refresh:",
            on_click=of.reset,
        )
        return False
    return True


def _soon(of: DatasetProfile) -> ReadingState:
    """The state after a moment: most texts are read by then, and no bar flickers."""
    until = time.monotonic() + PATIENCE
    while not (state := of.state()).is_over and time.monotonic() < until:
        time.sleep(0.03)
    return state


def _progress(of: DatasetProfile, what: str) -> None:
    state = of.state()
    if state.is_over:
        st.rerun()
    left = "" if state.left is None else f" About {duration(state.left)} left."
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(state.share, text=f"{state.doing}{left}")
        st.button(
            "Stop", key=f"stop {what} {of.folder.name}", icon=":material/stop:", on_click=of.stop
        )


def made(of: DatasetProfile, part: str, data: DataConfig = USUAL) -> dict[str, Any] | None:
    """What a part found out; made on the way where it isn't there yet, and None until it is."""
    name = PROFILE_SECTIONS[part].name(part, data)
    if found := of.result(name):
        return found
    is_ours = of.request[:1] == (part,)
    if of.request != (part, name) and (
        is_ours or not of.is_reading
    ):  # another part's work is waited for, our own for old settings is not
        of.start((part,), request=(part, name), data=data)
    if not is_ready(of, part):
        return None
    if (found := of.result(name)) is None:
        st.rerun()
    return found
