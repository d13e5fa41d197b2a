"""The state of States that no bound widget holds; links carry it in `set`."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.questions.views import VIEWS
from s2s.ui.kit import ViewState, field


@dataclass(frozen=True)
class StatesView:
    """The fields of States' link that no question declares: the chosen tab."""

    view: str = field("map")  # a row of VIEWS


STATE = ViewState("states", StatesView, *(row.question for row in VIEWS if row.page == "states"))
