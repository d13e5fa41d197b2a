"""Sentences of a run's dataset, to look through."""

from __future__ import annotations

from itertools import islice

import streamlit as st

from s2s import access, settings
from s2s.config import UserError
from s2s.data import is_searchable, sources_of
from s2s.demo import EXAMPLES
from s2s.runs import Run
from s2s.ui.kit import vocabulary


def of(run: Run, most: int) -> tuple[str, ...]:
    """At most `most` distinct sources, held-out ones first; probe sentences where the dataset is not shared or here."""
    may_see = access.may_see_data(run.folder.path)
    return _sentences(str(settings.home()), str(run.folder.path), most, may_see, run)


@st.cache_resource(max_entries=8, show_spinner="Reading the dataset …")
def _sentences(home: str, folder: str, most: int, may_see: bool, _run: Run) -> tuple[str, ...]:
    known = vocabulary.of(_run).sentences
    source = str(_run.folder.about().get("source", ""))
    if not may_see or source in EXAMPLES:  # making the whole dataset again would take seconds
        return known[:most]
    try:
        with access.reading_data_of(_run.folder.path):
            own = _own(_run, source, most)
    except (UserError, OSError):  # deleted, or elsewhere
        own = []
    return tuple(dict.fromkeys([*known, *own]))[:most]


def _own(run: Run, spec: str, most: int) -> list[str]:
    if not is_searchable(spec):
        return []
    return [*islice(sources_of(spec, run.recipe.data, run.recipe.train.seed), most)]
