"""The state of Lessons that links carry in `set`."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from s2s.questions import PaperClaim
from s2s.ui.kit import ViewState, field, one_of
from s2s.words import GLOSSARY

MAX_SENTENCE = 200  # characters
CONFIRMED = "what was done"  # in the session: where and what


def _is_short(text: str) -> bool:
    return len(text) <= MAX_SENTENCE


@dataclass(frozen=True)
class LessonsView:
    """The fields of Lessons' link: which segment is open, and what is open in it."""

    view: str = field("lessons")
    edit: str = field("")  # the lesson of one's own that is changed
    key: str = field("")  # `lesson.ID` or `class.ID`: whose answer key is open
    find: str = field("")  # in the glossary
    by: str = field("", one_of("", "letter", "topic"))
    term: str = field("", one_of("", *(row.term for row in GLOSSARY)))
    fault: str = field("1")  # the number of a fault
    sentence: str = field("", _is_short)  # translated with it


STATE = ViewState("lessons", LessonsView, PaperClaim)


def confirm(place: str, said: str) -> None:
    """Keep what was just done, in Markdown, for `show_confirmed` to say where it was pressed."""
    st.session_state[CONFIRMED] = place, said


def show_confirmed(place: str) -> None:
    """Says what was done here last, until something else is pressed."""
    if st.session_state.get(CONFIRMED, ("", ""))[0] == place:
        st.success(st.session_state.pop(CONFIRMED)[1], icon=":material/check:")
