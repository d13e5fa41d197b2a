"""The state of Why each word that no bound widget holds; links carry it in `set`, beside the search's settings."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.questions.views import VIEWS
from s2s.ui.kit import ViewState, field, is_position


@dataclass(frozen=True)
class StepsView:
    """The page's fields that no question declares."""

    view: str = field("tree")  # a row of VIEWS
    find: str = field("", is_position)  # the sentence that "Find one" found


STATE = ViewState("steps", StepsView, *(row.question for row in VIEWS if row.page == "steps"))
