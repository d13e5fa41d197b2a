"""The state of Lessons that links carry in `set`."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.questions import PaperClaim
from s2s.ui.kit import ViewState, field, one_of
from s2s.words import GLOSSARY

MAX_SENTENCE = 200  # characters


def _is_short(text: str) -> bool:
    return len(text) <= MAX_SENTENCE


@dataclass(frozen=True)
class LessonsView:
    """Which segment is open, and what is open in it."""

    view: str = field("lessons")
    edit: str = field("")  # the lesson of one's own that is changed
    find: str = field("")  # in the glossary
    by: str = field("", one_of("", "letter", "topic"))
    term: str = field("", one_of("", *(row.term for row in GLOSSARY)))
    fault: str = field("1")  # the number of a fault
    sentence: str = field("", _is_short)  # translated with it


STATE = ViewState("lessons", LessonsView, PaperClaim)
