"""How models that differ only in their positions do on longer lines than they were trained on."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from s2s.analysis import Matrix
from s2s.config import POSITION_KINDS
from s2s.demo import shipped_results
from s2s.jobs import ExtrapolationResult, ExtrapolationSettings, extrapolation
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import RUN, Question, setting, subject, view
from s2s.questions.table import Table

DEFAULT = ExtrapolationSettings()
TASKS = MappingProxyType({"reverse": "Reverse digits", "copy": "Copy digits"})
SCORES = MappingProxyType(
    {"digits": "digits at the correct position", "whole": "entirely correct lines"}
)
COUNTED = MappingProxyType({"digits": "digits", "whole": "lines"})
LEARNED = 0.8  # of a score at the trained lengths: below, there is nothing to lose
HALF = 0.5


@dataclass(frozen=True)
class LongerLines(Question[ExtrapolationResult]):
    """How one run does on lines of every length, decoded greedily in about a second."""

    run: str = subject(RUN)
    task: str = setting(DEFAULT.task, choices=TASKS, label="Task")

    def ask(self, have: Have) -> ExtrapolationResult:
        return extrapolation.measure(have.run(self.run), self.task)

    def table(self, answer: ExtrapolationResult) -> Table:
        rows = zip(answer.lengths, answer.digits, answer.whole, strict=True)
        return Table(("digits per line", *COUNTED), [*map(list, rows)], shares=tuple(COUNTED))


@dataclass(frozen=True)
class Extrapolated:
    """Results of models on longer lines: of the asker's own runs, or of the shipped ones, which have several seeds."""

    results: tuple[ExtrapolationResult, ...]
    is_shipped: bool

    def of_kinds(self, score: str) -> dict[str, Matrix]:
        """A score by kind of positions, in the order of POSITION_KINDS: (seeds, lengths) from 0 to 1."""
        found = {
            kind: [getattr(each, score) for each in self.results if each.kind == kind]
            for kind in POSITION_KINDS
        }
        return {kind: np.array(rows, np.float32) for kind, rows in found.items() if rows}


@dataclass(frozen=True)
class Extrapolation(Question[Extrapolated]):
    """How encodings do on lines longer than in training: of these `runs`, or of those that ship."""

    runs: tuple[str, ...] = subject(RUN, (), is_optional=True)
    task: str = setting(DEFAULT.task, choices=TASKS, label="Task")
    steps: int = setting(
        DEFAULT.steps,
        lambda steps: 100 <= steps <= 20_000,
        label="Training steps",
        help="Updates of each run, 100 to 20,000.",
    )
    seed: int = setting(
        DEFAULT.seed,
        lambda seed: 0 <= seed < 2**31,
        label="Random seed",
        help="Initial weights and the order of the lines.",
    )
    score: str = view("digits", choices=SCORES, label="Score")

    @property
    def settings(self) -> ExtrapolationSettings:
        return ExtrapolationSettings(self.task, self.steps, self.seed)

    def ask(self, have: Have) -> Extrapolated:
        if self.runs:
            found = [have.answer(LongerLines(run, self.task)) for run in self.runs]
            return Extrapolated(tuple(found), is_shipped=False)
        is_shipped = self.settings == ExtrapolationSettings(self.task)
        return Extrapolated(tuple(shipped_results(self.task)) if is_shipped else (), is_shipped)

    def table(self, answer: Extrapolated) -> Table:
        columns = [getattr(each, self.score) for each in answer.results]
        names = [f"{each.kind}, seed {each.seed}" for each in answer.results]
        rows = zip(extrapolation.LENGTHS, *columns, strict=True) if columns else ()
        return Table(("digits per line", *names), [*map(list, rows)], shares=tuple(names))

    def finding(self, answer: Extrapolated) -> str:
        return first(FINDINGS, Reach.of(answer, self.score))


class Reach(NamedTuple):
    """For each encoding that learned the task, the length up to which half of the lines or digits are right."""

    score: str
    n_kinds: int
    by_kind: dict[str, list[int]]  # a length per seed; the trained ones count
    means: dict[str, int]  # that of the mean over seeds
    is_worse: bool  # whether every kind is worse on the longest lines than on the trained ones

    @classmethod
    def of(cls, answer: Extrapolated, score: str) -> Reach:
        lengths = np.array(extrapolation.LENGTHS)
        is_trained = lengths <= extrapolation.TRAINED[1]
        every = answer.of_kinds(score)
        learned = {
            kind: rows for kind, rows in every.items() if rows[:, is_trained].mean() >= LEARNED
        }
        return cls(
            score,
            len(every),
            {kind: [_reached(row) for row in rows] for kind, rows in learned.items()},
            {kind: _reached(rows.mean(0)) for kind, rows in learned.items()},
            all(rows[:, -1].mean() < rows[:, is_trained].mean() for rows in learned.values()),
        )

    @property
    def best(self) -> str:
        return POSITION_KINDS[max(self.means, key=self.means.__getitem__)].label

    @property
    def worst(self) -> str:
        return POSITION_KINDS[min(self.means, key=self.means.__getitem__)].label

    @property
    def far(self) -> int:
        return max(self.means.values())

    @property
    def near(self) -> int:
        return min(self.means.values())

    @property
    def is_clear(self) -> bool:
        """Whether every seed of the best encoding reaches farther than every seed of the worst."""
        best = max(self.means, key=self.means.__getitem__)
        worst = min(self.means, key=self.means.__getitem__)
        return min(self.by_kind[best]) > max(self.by_kind[worst])

    @property
    def n_seeds(self) -> int:
        return min(map(len, self.by_kind.values()))

    @property
    def what(self) -> str:
        return COUNTED[self.score]

    @property
    def low(self) -> int:
        return extrapolation.TRAINED[0]

    @property
    def high(self) -> int:
        return extrapolation.TRAINED[1]


def _reached(scores: Matrix) -> int:
    below = np.flatnonzero(scores < HALF)
    n = int(below[0]) if len(below) else len(scores)
    return extrapolation.LENGTHS[n - 1] if n else 0


COMPARED = (
    "Trained on {low} to {high} digits, every encoding gets worse on longer lines: with {best}, half of the {what} are"
    " still right at {far} digits, with {worst} only up to {near}"
)
FINDINGS = (
    Finding(lambda reach: not reach.n_kinds, "No model has been measured yet."),
    Finding(
        lambda reach: not reach.means,
        "None of these models has learned the task: even on trained lengths, less than 80 % of the {what} are right.",
    ),
    Finding(
        lambda reach: not reach.is_worse,
        "Not every encoding gets worse on lines of more than the trained {low} to {high} digits: with {best}, half of"
        " the {what} are right up to {far} digits.",
    ),
    Finding(
        lambda reach: len(reach.means) == 1,
        "Trained on {low} to {high} digits, {best} gets half of the {what} right up to {far} digits.",
    ),
    Finding(
        lambda reach: reach.is_clear and reach.n_seeds > 1,
        COMPARED + ". Each of {n_seeds} seeds agrees.",
    ),
    Finding(
        lambda reach: reach.is_clear, COMPARED + ". One seed each: another may give another order."
    ),
    Finding(
        lambda reach: True,
        "Trained on {low} to {high} digits, every encoding gets worse on longer lines; seeds differ more than"
        " encodings.",
    ),
)
