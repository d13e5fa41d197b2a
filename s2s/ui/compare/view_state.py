"""The state of Compare that links carry in `set`; each row is a value of its own, `c1` to `c6`: see `rows`."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.questions import Compare
from s2s.ui.kit import ViewState, field, is_position


@dataclass(frozen=True)
class CompareView:
    """Which row is open, and the sentence that "Find one" found."""

    row: str = field("")  # its number
    find: str = field("", is_position)


STATE = ViewState("compare", CompareView, Compare)
