"""The segments of the page Lessons: a row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st

from s2s.config import UserError, asker
from s2s.demo import LESSONS as LESSONS_RUN
from s2s.lessons import EXERCISES, LESSONS
from s2s.ui.kit import forms
from s2s.ui.lessons import cards, claims, classes, faults, glossary, own
from s2s.ui.lessons.view_state import STATE


class Segment(NamedTuple):
    """One segment: what its button says, and what draws it."""

    label: str
    draw: Callable[[], None]
    is_hosted: bool = False  # there on a hosted server only


def _lessons() -> None:
    st.caption(
        f"Lessons open the model {LESSONS_RUN}: it was trained on a small grammar, whose right answers are known."
    )
    cards.draw(LESSONS.values())
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("Make a lesson of your own:", width="content")
        own.new_button()


# One more segment is one more row: its name in links, and a function without arguments.
SEGMENTS: Mapping[str, Segment] = MappingProxyType(
    {
        "lessons": Segment("Lessons", _lessons),
        "exercises": Segment("Exercises", lambda: cards.draw(EXERCISES.values())),
        "faults": Segment("Break it on purpose", faults.draw),
        "claims": Segment("Claims", claims.draw),
        "glossary": Segment("Glossary", glossary.draw),
        "own": Segment("Make your own", own.draw),
        "classes": Segment("Classes", classes.draw, is_hosted=True),
    }
)


def show() -> None:
    """The open segment; an error in one leaves the others usable."""
    STATE.from_url()
    labels = {
        name: segment.label
        for name, segment in SEGMENTS.items()
        if asker.is_hosted() or not segment.is_hosted
    }
    view = STATE.segments("view", "What to open", labels, label_visibility="collapsed")
    STATE.write_to_url()
    try:
        SEGMENTS[view].draw()
    except UserError as error:
        forms.show_error(error)
