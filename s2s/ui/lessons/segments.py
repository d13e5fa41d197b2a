"""The segments of the page Lessons: a row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

import streamlit as st

from s2s.config import UserError, asker
from s2s.demo import LESSONS as LESSONS_RUN
from s2s.lessons import EXERCISES, LESSONS
from s2s.ui.kit import forms
from s2s.ui.lessons import cards, claims, classes, faults, glossary, own
from s2s.ui.lessons.view_state import STATE
from s2s.ui.shell import pages_to_add

MORE = "more lessons"  # in the session: what was chosen in the menu


class Segment(NamedTuple):
    """One segment of the page: its button's label, and the function that draws it."""

    label: str
    draw: Callable[[], None]
    is_hosted: bool = False  # there on a hosted server only
    where: Literal["tab", "more", "address"] = "tab"  # the search of every page opens the glossary


def _lessons() -> None:
    cards.draw(LESSONS.values())
    st.caption(
        f"Lessons open the model {LESSONS_RUN}: it was trained on a small grammar, whose right answers are known."
    )
    st.markdown("##### Make a lesson of your own")
    pages_to_add("", 1)


# One more segment is one more row: its name in links, and a function without arguments.
SEGMENTS: Mapping[str, Segment] = MappingProxyType(
    {
        "lessons": Segment("Lessons", _lessons),
        "exercises": Segment("Exercises", lambda: cards.draw(EXERCISES.values())),
        "faults": Segment("Break it on purpose", faults.draw),
        "claims": Segment("Claims", claims.draw, where="more"),
        "glossary": Segment("Glossary", glossary.draw, where="address"),
        "own": Segment("Make your own lesson", own.draw),
        "classes": Segment("Classes", classes.draw, is_hosted=True, where="more"),
    }
)


def _open() -> None:
    STATE.show(view=st.session_state[MORE])


def show() -> None:
    """Draw the open segment; an error in it leaves the others usable."""
    STATE.from_url()
    there = {name: row for name, row in SEGMENTS.items() if asker.is_hosted() or not row.is_hosted}
    now = STATE.shown("view")  # one of More has a tab while it is open
    labels = {name: row.label for name, row in there.items() if row.where == "tab" or name == now}
    more = {name: row.label for name, row in there.items() if row.where == "more" and name != now}
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="lesson tabs"):
        view = STATE.segments("view", "What to open", labels, label_visibility="collapsed")
        if more:
            st.menu_button(
                "More",
                list(more),
                format_func=lambda name: SEGMENTS[name].label,
                key=MORE,
                on_click=_open,
            )
    STATE.write_to_url()
    try:
        SEGMENTS[view].draw()
    except UserError as error:
        forms.show_error(error)
