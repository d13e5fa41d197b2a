"""Sentences of a run's dataset, to look through."""

from __future__ import annotations

from itertools import islice

import streamlit as st

from s2s import settings
from s2s.config import UserError
from s2s.data import is_searchable, sources_of
from s2s.runs import Run
from s2s.ui.kit import vocabulary


def of(run: Run, most: int) -> tuple[str, ...]:
    """At most `most` distinct sources, held-out ones first; empty where the dataset is not here."""
    return _sentences(str(settings.home()), str(run.folder.path), most, run)


@st.cache_resource(max_entries=8, show_spinner="Reading the dataset …")
def _sentences(home: str, folder: str, most: int, _run: Run) -> tuple[str, ...]:
    known = vocabulary.of(_run).sentences
    source = str(_run.folder.about().get("source", ""))
    if source in vocabulary.EXAMPLES:  # making the whole dataset again would take seconds
        return known[:most]
    try:
        own = _own(_run, source, most)
    except (UserError, OSError):  # deleted, or elsewhere
        own = []
    return tuple(dict.fromkeys([*known, *own]))[:most]


def _own(run: Run, spec: str, most: int) -> list[str]:
    if not is_searchable(spec):
        return []
    return [*islice(sources_of(spec, run.recipe.data, run.recipe.train.seed), most)]
