"""The state of States that no bound widget holds; links carry it in `set`."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.analysis import SIDES
from s2s.questions import DEFAULT_STRATEGY, SameWord
from s2s.ui.kit import ViewState, field


@dataclass(frozen=True)
class StatesView:
    """Positions of words belong to a pair of sentences."""

    strategy: str = field(DEFAULT_STRATEGY)
    view: str = field("map")  # a row of VIEWS
    side: str = field(SIDES[0])
    color: str = field("word", link="colour")  # a row of COLORINGS
    shown: str = field("both")  # the sentences on the map
    layers: str = field("one")
    second: str = field("")  # the second sentence; empty: one that shares a word with the first
    unit: str = field("", scope="sentence")  # whose neighbors: a position from 1, or `sentence`


STATE = ViewState("states", StatesView, SameWord)
