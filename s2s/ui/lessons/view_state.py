"""The state of Lessons that links carry in `set`."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.ui.kit import ViewState, field


@dataclass(frozen=True)
class LessonsView:
    """Which segment is open."""

    view: str = field("lessons")


STATE = ViewState("lessons", LessonsView)
