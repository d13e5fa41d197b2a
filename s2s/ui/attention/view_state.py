"""The state of Attention that no bound widget holds; links carry it in `set`."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.ui.kit import ViewState, field, is_position
from s2s.views import VIEWS


@dataclass(frozen=True)
class AttentionView:
    """Positions mean nothing in another sentence; heads are the model's and stay."""

    view: str = field("map")  # a row of VIEWS
    links: str = field("target")  # a row of LINK_METHODS
    at: str = field("", scope="sentence")  # the token whose attention is overridden, from 1
    to: str = field("", scope="sentence")  # the source tokens it looks at: `2.3`, from 1
    overridden: str = field(
        "", link="among"
    )  # `chosen`: only the page's layer and head are overridden
    find: str = field("", is_position)  # the sentence that "Find one" found
    switched: str = field("")  # `cross.1.3=off`: kind, layer, head, a row of INTERVENTIONS


ASKED = [row.question for row in VIEWS if row.page == "attention"]
STATE = ViewState("attention", AttentionView, *ASKED)
