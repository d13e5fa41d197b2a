"""The curves that training wrote into a run's folder."""

from __future__ import annotations

from pathlib import Path

from s2s.config import UserError
from s2s.library import Library
from s2s.runs import Curves, Metrics, RunFolder, runs_folder
from s2s.ui.kit.cached.shared import shared


def curves(run_id: str) -> Curves:
    """The training curves so far; empty where nothing is written yet."""
    try:
        return logged(Library().run(run_id))
    except UserError:  # queued: its folder comes with its first line
        return logged(RunFolder(runs_folder() / ".queued"))


def logged(folder: RunFolder) -> Curves:
    """The training curves in a run's folder so far."""
    return _metrics(str(folder.path)).read()


@shared(max_entries=512, show_spinner=False)
def _metrics(folder: str) -> Metrics:
    return Metrics(Path(folder) / "metrics.jsonl")
