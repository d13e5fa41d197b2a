"""Questions asked from a page: its runs are open already; a search that takes long continues beside the dashboard."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from s2s.config import DataConfig, UserError
from s2s.data import Preview
from s2s.jobs import Calibration
from s2s.questions import RUN, UNREAD, UPLOAD, Have, Outcome, Question, Timed, name_of
from s2s.runs import Curves, Run, RunSummary
from s2s.ui.kit.cached.background import (
    PATIENCE,
    PendingError,
    beside,
    end_of_slice,
    found_beside,
    goes_beside,
)
from s2s.ui.kit.cached.dataset_previews import preview
from s2s.ui.kit.cached.forecasts import throughput
from s2s.ui.kit.cached.stored_runs import open_as_saved, runs
from s2s.ui.kit.cached.training import logged
from s2s.ui.kit.turns import TURNS
from s2s.ui.streamlit_parts import get_script_run_ctx


class ScreenHave(Have):
    """What the page's questions may open, and how they are answered. Raises PendingError for an answer that another
    process still computes.
    """

    def __init__(self, patience: float | None = None) -> None:
        super().__init__()
        self.patience = patience  # seconds that a search beside is awaited; None: the usual

    def steps(self, of: int) -> Callable[[], None] | None:
        """A function that ends a search which takes too long on a page."""
        is_before_visitors = get_script_run_ctx() is None
        return None if is_before_visitors else end_of_slice()

    def paused(self) -> AbstractContextManager[None]:
        """A context in which the visitor's other tabs may take their turns."""
        return TURNS.paused()

    def opened(self, name: str) -> Run:
        """The run, opened once for all visitors."""
        run_id, _, step = name.partition("@")
        return open_as_saved(run_id, int(step) if step else None)

    def summary(self, run: str) -> RunSummary:
        return runs().get(run.partition("@")[0]) or super().summary(run)

    def curves(self, run: str) -> Curves:
        """A run's training curves, read on from where the last look ended."""
        return logged(self.folder(run))

    def preview(self, spec: str) -> Preview:
        """A dataset's preview, read once for all visitors, of a large dataset by a process of its own."""
        return super().preview(spec) if spec.startswith(UPLOAD) else preview(spec)

    def throughput(self) -> Calibration:
        """The throughput calibration, computed at most once per minute."""
        return throughput()

    def section(self, dataset: str, name: str, data: DataConfig) -> Any:
        """A section of a profile from the reader process: this process never holds a dataset."""
        if (found := self.stored(dataset, name, data)) is None:
            raise UserError(UNREAD)
        return found

    def known(self, question: Question[Any], key: Hashable) -> Timed | None:
        if found := super().known(question, key):
            return found
        if get_script_run_ctx() is None or (request := question.beside(self)) is None:
            return None
        if found := found_beside(request):
            return found
        run = self.run(question.of(RUN)[0])
        if goes_beside(run, request):
            run.check_lengths(request.sources)
            return beside(request, self.patience)
        return None

    def outcome(self, question: Question[Any]) -> Outcome:
        try:
            return super().outcome(question)
        except PendingError as pending:
            return Outcome(problem=pending)

    def outcomes(self, questions: Sequence[Question[Any]]) -> list[Outcome]:
        """The outcomes of all questions: each is started before the first one is awaited."""
        begun = [ScreenHave(0.0).outcome(question) for question in questions]
        until = time.monotonic() + (PATIENCE if self.patience is None else self.patience)
        return [
            ScreenHave(max(0.0, until - time.monotonic())).outcome(question)
            if isinstance(outcome.problem, PendingError)
            else outcome
            for question, outcome in zip(questions, begun, strict=True)
        ]

    def elsewhere(self, question: Question[Any], key: Hashable) -> Timed:
        """A question's answer, computed by another process."""
        if (request := question.beside(self)) is None:
            raise TypeError(f"{question.name} is never asked beside the dashboard")
        return beside(request, self.patience)


SCREEN = ScreenHave()


def named(run: Run) -> str:
    """The name by which a question opens a run as it is opened here."""
    return name_of(run, open_as_saved(run.folder.id, run.step))
