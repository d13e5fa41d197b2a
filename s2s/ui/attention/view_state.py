"""The state of Attention that no bound widget holds; links carry it in `set`."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.questions.views import VIEWS
from s2s.ui.kit import ViewState, field, is_position


@dataclass(frozen=True)
class AttentionView:
    """The page's fields; positions belong to a sentence, heads to the model."""

    view: str = field("map")  # a row of VIEWS
    find: str = field("", is_position)  # the sentence that "Find one" found


ASKED = [row.question for row in VIEWS if row.page == "attention"]
STATE = ViewState("attention", AttentionView, *ASKED)
