"""A sweep: runs with different values of a few settings, and which of them did best."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from s2s.config import Recipe, settings_of
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import RUN, Question, subject, view
from s2s.questions.runs_compared import COLUMNS, ComparedRun, ComparedRuns, RunsCompared
from s2s.questions.table import Table
from s2s.runs.differences import HARDWARE_SETTINGS, SettingRow
from s2s.runs.listing import LIVE
from s2s.runs.seeds import SEED
from s2s.words import format_value


class Best(NamedTuple):
    """Facts about the runs with the best score of a sweep."""

    n_leaders: int
    n: int
    name: str  # of the first
    score: str
    settings: str  # in words
    is_live: bool  # whether some run still waits or trains
    better: str  # the run that BLEU prefers; empty for none
    bleu: float

    @property
    def ahead(self) -> str:
        """How the sentence about the best run begins."""
        return "Best so far" if self.is_live else "Best"


BEST = "{ahead}: “{name}”, {score}, with {settings}."
ONE_EACH = " One run each: other seeds may change the order."
FINDINGS = (
    Finding(
        lambda best: best.n_leaders > 1,
        "No single best run: {n_leaders} of {n} share the best score, {score}.",
    ),
    Finding(lambda best: best.better, BEST + " By BLEU it is “{better}” ({bleu:.3g})." + ONE_EACH),
    Finding(lambda best: best.n_leaders == 1, BEST + ONE_EACH),
)


@dataclass(frozen=True)
class Sweep(Question[ComparedRuns]):
    """Runs by the settings in which they differ, with their scores; `sweep` is what they are called together."""

    name: ClassVar[str] = "sweep"

    runs: tuple[str, ...] = subject(RUN, ())
    sweep: str = view("", label="Sweep")

    def ask(self, have: Have) -> ComparedRuns:
        """Compare the runs, in the order of their settings. Raises UserError for a run that the asker may not open."""
        compared = have.answer(RunsCompared(self.runs))
        keys = [row.key for row in varied(compared)]
        ordered = sorted(
            compared.runs, key=lambda run: [_rank(run.settings.get(key)) for key in keys]
        )
        return ComparedRuns(tuple(ordered))

    def stamp(self, have: Have) -> Hashable:
        """What the key has beside the fields: the state of the runs."""
        return RunsCompared(self.runs).stamp(have)

    def table(self, answer: ComparedRuns) -> Table:
        """A table with one row per run: its settings, and its scores, every digit."""
        keys = [row.key for row in varied(answer)]
        rows = [[*(run.settings.get(key) for key in keys), *run.numbers] for run in answer.runs]
        return Table((*keys, *COLUMNS), rows)

    def finding(self, answer: ComparedRuns) -> str:
        """A sentence on which run has the lowest loss, or, of several tokenizers, the highest BLEU; empty where runs
        differ in their seeds, whose means decide, and before the first score.
        """
        if has_seeds(answer):
            return ""
        leaders = self.leaders(answer)
        return first(FINDINGS, _best(answer, leaders, decides(answer))) if leaders else ""

    def leaders(self, answer: ComparedRuns) -> list[ComparedRun]:
        """The runs with the best score, also where all share it."""
        score = decides(answer)
        if score == "bleu" and answer.signature_note:
            return []
        known = [run for run in answer.runs if getattr(run, score) is not None]
        top = (min if score == "loss" else max)(
            (getattr(run, score) for run in known), default=None
        )
        return [run for run in known if getattr(run, score) == top]


def has_seeds(answer: ComparedRuns) -> bool:
    """Whether the runs differ in their seed, so that means over seeds decide."""
    return any(row.key == SEED for row in varied(answer))


def decides(answer: ComparedRuns) -> str:
    """The score that decides which run is best: BLEU between tokenizers, whose losses do not compare, else loss."""
    has_tokenizers = any(row.key.startswith("tokenizer.") for row in varied(answer))
    return "bleu" if has_tokenizers else "loss"


def varied(answer: ComparedRuns) -> list[SettingRow]:
    """The settings of the recipes that differ, without those of the computer."""
    known = settings_of(Recipe).keys() - {*HARDWARE_SETTINGS}
    return [row for row in answer.rows if row.differs and row.key in known]


def _rank(value: Any) -> tuple[int, float, str]:
    """A sort key: numbers by size, then texts, then unknown values."""
    if isinstance(value, int | float):
        return 0, value, ""
    return (2, 0.0, "") if value is None else (1, 0.0, str(value))


def _best(answer: ComparedRuns, leaders: list[ComparedRun], score: str) -> Best:
    leader = leaders[0]
    values = [
        f"{row.key} {format_value(leader.settings[row.key])}"
        for row in varied(answer)
        if leader.settings
    ]
    scored = f"validation loss {leader.loss:.3g}" if score == "loss" else f"BLEU {leader.bleu:.3g}"
    by_bleu = answer.best("bleu")
    prefers = by_bleu[0] if by_bleu and leader not in by_bleu else None
    return Best(
        len(leaders),
        len(answer.runs),
        leader.name,
        scored,
        " and ".join(values) or "the same settings as all others",
        any(run.state in LIVE for run in answer.runs),
        prefers.name if prefers else "",
        prefers.bleu or 0.0 if prefers else 0.0,
    )
