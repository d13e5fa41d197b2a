"""The state of Architecture; links carry it in `set`."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.questions.views import tabs
from s2s.ui.kit import ViewState, field


@dataclass(frozen=True)
class ArchitectureView:
    """The fields of the page's link that no question declares."""

    view: str = field("parameters")  # a row of VIEWS


TABS = tabs("architecture")
STATE = ViewState("architecture", ArchitectureView, *(row.question for row in TABS.values()))
