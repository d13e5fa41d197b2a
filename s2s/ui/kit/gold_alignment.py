"""The gold word alignment of a run's dataset, where it has one."""

from __future__ import annotations

from s2s.demo import LESSONS
from s2s.questions import GoldOf, Targets
from s2s.runs import Run
from s2s.ui.kit import cached, lessons_run


def of(run: Run) -> Targets:
    """The aligned targets of each source; empty if the run's dataset has none or is not shared."""
    return cached.SCREEN.answer(GoldOf(cached.named(run))).targets


def show_lessons_run(run: Run) -> None:
    """Say why the run of the lessons is shown, or offer it if this run has no gold alignment."""
    if run.folder.id == LESSONS or not of(run):
        lessons_run.show("the right links between its words are known.")
