"""What runs have logged while they trained, and how a training went, in words."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from s2s.config import UserError
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import RUN, Question, subject, view
from s2s.questions.table import Table
from s2s.runs import Curves, diverged_at
from s2s.scores import differing_parts

OVER = MappingProxyType({"step": "Steps", "token": "Tokens", "minute": "Minutes"})
LOGGED = (
    "loss",
    "valid_loss",
    "valid_perplexity",
    "valid_token_accuracy",
    "valid_bleu",
    "valid_chrf",
    "valid_exact_match",
    "rates",
    "grad_norms",
    "speeds",
    "valid_memory",
)
MEMORIZED = 1.02  # times the lowest validation loss: a newest one above it has risen clearly


@dataclass(frozen=True)
class LoggedRuns:
    """The curves of runs, and what the runs are called."""

    names: tuple[str, ...]
    curves: tuple[Curves, ...]

    @property
    def is_alone(self) -> bool:
        """Whether one run is shown, with a validation after its beginning."""
        return len(self.curves) == 1 and len(self._losses) > 1

    @property
    def _losses(self) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        values = self.curves[0].valid_loss
        return values[np.isfinite(values)]

    @property
    def diverged(self) -> bool:
        return self.is_alone and diverged_at(self.curves[0]) is not None

    @property
    def memorizes(self) -> bool:
        """Whether the run's validation loss has risen again while the training loss fell."""
        return self.is_alone and self.last > MEMORIZED * self.lowest

    @property
    def begin(self) -> float:
        return float(self._losses[0])

    @property
    def last(self) -> float:
        return float(self._losses[-1])

    @property
    def lowest(self) -> float:
        return float(self._losses.min())

    @property
    def lowest_step(self) -> int:
        curves = self.curves[0]
        return int(curves.valid_steps[int(np.nanargmin(curves.valid_loss))])


FINDINGS = (
    Finding(lambda runs: not runs.is_alone or runs.diverged, ""),
    Finding(
        lambda runs: runs.memorizes,
        "The validation loss was lowest at step {lowest_step:,} ({lowest:.3g} nats per token) and has risen to"
        " {last:.3g} since: the model memorizes.",
    ),
    Finding(
        lambda runs: runs.last < runs.begin,
        "The validation loss fell from {begin:.3g} to {last:.3g} nats per token.",
    ),
)


@dataclass(frozen=True)
class TrainingCurves(Question[LoggedRuns]):
    """Losses, scores and speed of one run or of several, by step, tokens or minutes."""

    runs: tuple[str, ...] = subject(RUN, ())
    curve: str = view("loss", in_set=False)
    over: str = view("step", in_set=False, choices=OVER, label="Horizontal axis")

    def ask(self, have: Have) -> LoggedRuns:
        """Read the logs. Raises UserError for a run that the asker may not open."""
        if not self.runs:
            raise UserError("No run is given; name one, or several with commas between.")
        titles = have.titles(self.runs)
        return LoggedRuns(
            tuple(titles[run] for run in self.runs), tuple(have.curves(run) for run in self.runs)
        )

    def stamp(self, have: Have) -> Hashable:
        found = [have.curves(run) for run in self.runs]
        logged = tuple((curves.step, len(curves.valid_steps)) for curves in found)
        return *have.titles(self.runs).values(), *logged

    def table(self, answer: LoggedRuns) -> Table:
        rows = [
            row
            for name, curves in zip(answer.names, answer.curves, strict=True)
            for row in _rows(name, curves)
        ]
        return Table(("run", "step", "tokens", "minutes", *LOGGED), rows)

    def finding(self, answer: LoggedRuns) -> str:
        return first(FINDINGS, answer) if self.curve == "loss" else ""


def signature_note(signatures: Iterable[str]) -> str:
    """A sentence that scores with these signatures were counted in different ways; "" if they were not."""
    different = set(signatures)
    if len(different) < 2:
        return ""
    return (
        "BLEU, chrF and exact match do not all compare here, because their signatures differ:"
        f" {'; '.join(differing_parts(different))}."
    )


def _rows(name: str, curves: Curves) -> list[list[object]]:
    steps = np.union1d(curves.steps, curves.valid_steps)
    tokens = curves.at_steps(curves.tokens, steps)
    minutes = curves.at_steps(curves.minutes, steps)
    columns = []
    for key in LOGGED:
        at = curves.valid_steps if key.startswith("valid_") else curves.steps
        values = np.full(len(steps), math.nan)
        values[np.searchsorted(steps, at)] = getattr(curves, key)
        columns.append(values.tolist())
    return [
        [name, *row]
        for row in zip(steps.tolist(), tokens.tolist(), minutes.tolist(), *columns, strict=True)
    ]
