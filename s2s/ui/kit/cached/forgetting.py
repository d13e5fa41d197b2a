"""What leaves the memory with a workspace that is deleted."""

from __future__ import annotations

from s2s.questions import ANSWERS
from s2s.ui.kit.cached.shared import forget_shared
from s2s.ui.kit.cached.stored_runs import close_deleted


def forget_workspace(workspace: str) -> None:
    """Drop what only this workspace asked for, and close runs that are deleted. What others asked for stays.

    Of searches beside the dashboard, `forget_searches` does so.
    """
    forget_shared(workspace)
    ANSWERS.forget(workspace)
    close_deleted()
