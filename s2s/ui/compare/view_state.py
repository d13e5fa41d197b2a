"""The state of Compare that links carry in `set`; each column is a value of its own, `c1` to `c6`: see `columns`."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.ui.kit import ViewState, field, is_position


@dataclass(frozen=True)
class CompareView:
    """Against what differences are marked; empty: the reference if there is one, else column 1."""

    against: str = field("")  # `reference`, `nothing` or the number of a column
    find: str = field("", is_position)  # the sentence that "Find one" found


STATE = ViewState("compare", CompareView)
