"""The state of Heads that no bound widget holds; links carry it in `set`."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.questions.views import VIEWS
from s2s.ui.kit import ViewState, field


@dataclass(frozen=True)
class HeadsView:
    """The page's fields; sentences belong to a run, heads to the model."""

    view: str = field("roles")  # a row of VIEWS
    part: str = field("roles")  # of the view Roles


ASKED = [row.question for row in VIEWS if row.page == "heads"]
STATE = ViewState("heads", HeadsView, *ASKED)
