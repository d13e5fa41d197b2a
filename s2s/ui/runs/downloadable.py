"""Which runs a visitor may download."""

from __future__ import annotations

from s2s.config import UserError
from s2s.library import Library
from s2s.ui.kit import cached


def is_downloadable(run_id: str) -> bool:
    """Whether a run has a checkpoint and this visitor may download it."""
    row = cached.runs().get(run_id)
    if row is not None and not row.checkpoints:
        return False
    try:
        Library().run(run_id, "download")
    except UserError:
        return False
    return True
