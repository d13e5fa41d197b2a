"""What the page shows that somebody owns, so that Share knows what its link must open."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from s2s.config import asker
from s2s.library import Thing, rights, sharing
from s2s.ui.kit import cached

IN_VIEW = "in view"  # in the session
RUNS = "runs in view"  # in the session: their ids


class Shown(NamedTuple):
    """A run or evaluation on the page, with its owner's name for it."""

    thing: Thing
    name: str


def clear() -> None:
    """Forget what the last page showed. Call this before a page is drawn."""
    st.session_state[IN_VIEW] = {}
    st.session_state[RUNS] = {}


def add(thing: Thing, name: str) -> None:
    """Note what the page shows. Call this where a run or an evaluation is shown."""
    st.session_state.setdefault(IN_VIEW, {})[thing.kind, thing.id] = Shown(thing, name)


def add_run(run_id: str) -> None:
    st.session_state.setdefault(RUNS, {})[run_id] = True
    if row := cached.runs().get(run_id):
        add(sharing.thing("run", row.id, row.owner), cached.title(run_id))


def runs() -> list[str]:
    """The ids of all runs on the page, demos too."""
    return [*st.session_state.get(RUNS, {})]


def own() -> list[Shown]:
    """The runs and evaluations on the page that belong to the visitor."""
    shown: dict[tuple[str, str], Shown] = st.session_state.get(IN_VIEW, {})
    who = asker.current()
    return [each for each in shown.values() if rights.may(who, "change", each.thing)]
