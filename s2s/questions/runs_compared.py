"""Runs beside each other: their scores, and the settings in which they differ."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from s2s.config import Recipe, UserError, flat, unique_names
from s2s.data import saved_datasets
from s2s.faults import marked
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have, about
from s2s.questions.question import RUN, Question, subject, view
from s2s.questions.table import Table
from s2s.questions.training_curves import signature_note
from s2s.runs import Curves, Metrics, RunSummary, clean_name, seeds
from s2s.runs.differences import SettingRow, setting_rows

CHANGES = (("lr", "learning rate", "g"), ("steps", "last step", ","))  # key, label, format
COLUMNS = (
    *("run", "id", "state", "validation loss", "accuracy", "BLEU", "parameters", "steps"),
    *("seconds", "dataset", "BLEU signature"),
)
MOST_NAMED = 3  # settings in a sentence


@dataclass(frozen=True)
class ComparedRun:
    """One run of a comparison: its scores are those of its best validation, None where they were not measured."""

    id: str
    name: str
    state: str  # a row of RUN_STATES
    step: int
    steps: int  # planned
    loss: float | None  # nats per token
    accuracy: float | None  # 0 to 1
    bleu: float | None  # 0 to 100
    parameters: int | None
    seconds: float | None  # of training, validations included
    dataset: str
    measured_on: str  # losses of runs of which this differs are not over the same tokens
    smoothing: float
    signatures: tuple[str, ...]  # of BLEU
    # Where the weights come from, and the recipe; empty where that cannot be read.
    settings: Mapping[str, Any]

    @property
    def numbers(self) -> list[Any]:
        signatures = "; ".join(self.signatures)
        scores = [self.loss, self.accuracy, self.bleu, self.parameters, self.step, self.seconds]
        return [self.name, self.id, self.state, *scores, self.dataset, signatures]


@dataclass(frozen=True)
class ComparedRuns:
    """The runs of a comparison, in the order in which they were given."""

    runs: tuple[ComparedRun, ...]

    @property
    def signature_note(self) -> str:
        return signature_note(signature for run in self.runs for signature in run.signatures)

    @property
    def are_alike(self) -> bool:
        """Whether all runs are measured on the same tokens, so that losses and accuracies compare."""
        return len({run.measured_on for run in self.runs}) == 1 and bool(self.runs[0].measured_on)

    def best(self, score: str) -> list[ComparedRun]:
        """The runs with the best `loss`, `accuracy` or `bleu`; none where all are equal, or do not compare."""
        known = [run for run in self.runs if getattr(run, score) is not None]
        values = {getattr(run, score) for run in known}
        is_comparable = not self.signature_note if score == "bleu" else self.are_alike
        if not known or len(values) == 1 < len(known) or not is_comparable:
            return []
        best = min(values) if score == "loss" else max(values)
        return [run for run in known if getattr(run, score) == best]

    @property
    def rows(self) -> list[SettingRow]:
        """The settings of the `readable` runs, those that differ first; none where only one run is readable."""
        found = [run.settings for run in self.readable]
        return setting_rows(found) if len(found) > 1 else []

    @property
    def readable(self) -> list[ComparedRun]:
        return [run for run in self.runs if run.settings]


class Leader(NamedTuple):
    """The run with the lowest loss, and the one with the next lowest."""

    name: str
    loss: float
    second: str
    second_loss: float
    differing: str  # the settings that differ, in words
    better: str  # the run that BLEU prefers; empty for none
    bleu: float


LOWEST = "“{name}” has the lowest validation loss, {loss:.3g} nats per token (next: “{second}”, {second_loss:.3g})"
ONE_EACH = " {differing} Each is a single run, and other seeds may reverse a small difference."
FINDINGS = (
    Finding(
        lambda leader: leader.better,
        LOWEST + "; by BLEU it is “{better}” ({bleu:.3g})." + ONE_EACH,
    ),
    Finding(lambda leader: True, LOWEST + "." + ONE_EACH),
)


@dataclass(frozen=True)
class RunsCompared(Question[ComparedRuns]):
    """The scores of two runs or more at the best validation of each, and the settings in which they differ."""

    name: ClassVar[str] = "runs-compared"

    runs: tuple[str, ...] = subject(RUN, ())
    settings: bool = view(
        False, label="Show all settings", help="Also those that all runs have in common."
    )

    def ask(self, have: Have) -> ComparedRuns:
        """Compare the runs. Raises UserError for a run that the asker may not open."""
        if not self.runs:
            raise UserError("No run is given; name two or more with commas between.")
        found = {run: have.summary(run) for run in self.runs}
        names = unique_names(
            {run: marked(clean_name(row.name) or row.id, row.fault) for run, row in found.items()}
        )
        return ComparedRuns(tuple(compared(have, row, names[run]) for run, row in found.items()))

    def stamp(self, have: Have) -> Hashable:
        return tuple(
            (have.summary(run), repr(about(run)), curves.step, curves.signatures)
            for run in self.runs
            for curves in (logged(have, run),)
        )

    def table(self, answer: ComparedRuns) -> Table:
        return Table(COLUMNS, [run.numbers for run in answer.runs])

    def setting_table(self, answer: ComparedRuns) -> Table:
        rows = [row for row in answer.rows if row.differs or self.settings]
        columns = ("differs", "setting", *(run.name for run in answer.readable))
        return Table(columns, [[row.differs, row.key, *row.values] for row in rows])

    def finding(self, answer: ComparedRuns) -> str:
        leaders = answer.best("loss")
        if len(leaders) != 1 or sum(run.loss is not None for run in answer.runs) < 2:
            return ""
        return first(FINDINGS, _leader(answer, leaders[0]))


def _leader(answer: ComparedRuns, leader: ComparedRun) -> Leader:
    others = [run for run in answer.runs if run.loss is not None and run is not leader]
    second = min(others, key=lambda run: run.loss or math.inf)
    by_bleu = answer.best("bleu")
    prefers = by_bleu[0] if by_bleu and leader not in by_bleu else None
    return Leader(
        leader.name,
        leader.loss or 0.0,
        second.name,
        second.loss or 0.0,
        _differing([row.key for row in answer.rows if row.differs]),
        prefers.name if prefers else "",
        prefers.bleu or 0.0 if prefers else 0.0,
    )


def _differing(keys: Sequence[str]) -> str:
    if not keys:
        return "Their settings are equal."
    named = ", ".join(keys[:MOST_NAMED])
    more = f" and {len(keys) - MOST_NAMED} more settings" if keys[MOST_NAMED:] else ""
    return f"They differ in {named}{more}."


def compared(have: Have, row: RunSummary, name: str) -> ComparedRun:
    """One run's row of the comparison, under this name; the asker may open it."""
    curves = logged(have, row.id)
    known = about(row.id)
    recipe = have.recipe(row.id)
    best = seeds.best_validation(curves, row.best_step)
    loss, accuracy, bleu = (
        None if best is None else _finite(values[best])
        for values in (curves.valid_loss, curves.valid_token_accuracy, curves.valid_bleu)
    )
    times = curves.step_times
    source = str(known.get("source") or row.source)
    measured = (source, known.get("valid"), recipe.tokenizer) if recipe else ()
    return ComparedRun(
        row.id,
        name,
        row.outcome(curves),
        max(row.step, curves.step),
        row.steps,
        loss,
        accuracy,
        bleu,
        have.n_parameters(row.id),
        float(60 * curves.minutes[-1]) + len(curves.valid_steps) * times.validation
        if times
        else None,
        saved_datasets.name_of(source),
        repr(measured) if measured else "",
        recipe.train.label_smoothing if recipe and not known.get("imported") else 0.0,
        curves.signatures,
        _settings(have, row, known, recipe) if recipe else {},
    )


def logged(have: Have, run: str) -> Curves:
    """What a run has logged; nothing for a run that waits, as its folder is made with its first line."""
    try:
        return have.curves(run)
    except UserError:
        return Metrics(".queued").read()


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _settings(
    have: Have, row: RunSummary, known: Mapping[str, Any], recipe: Recipe
) -> dict[str, Any]:
    """A run's settings to compare: where data and weights come from, and the recipe with what was changed since."""
    waiting = have.short_name(row.init_from) if row.init_from and not known else ""
    start = "published weights" if known.get("imported") else origin(have, known) or waiting
    return {
        "dataset": saved_datasets.name_of(str(known.get("source") or row.source)),
        "preset": known.get("preset") or row.preset,
        "initialized from": start or "random weights",
        "changed while training": changed(known) or "nothing",
    } | flat(recipe)


def origin(have: Have, known: Mapping[str, Any]) -> str:
    """What a run was initialized from, `my model, step 200`; empty for random initial weights."""
    start = known.get("init_from")
    if not isinstance(start, Mapping) or "run" not in start:
        return ""
    return f"{have.short_name(str(start['run']))}, step {start.get('step', '?')}"


def changed(known: Mapping[str, Any]) -> str:
    """What was changed while the run trained or when it was resumed, such as `learning rate 0.5 from step 20`; else
    empty.
    """
    written = known.get("changes")
    rows = [
        change
        for change in (written if isinstance(written, list) else ())
        if isinstance(change, Mapping) and isinstance(change.get("step"), int)
    ]
    return ", ".join(
        f"{label} {change[key]:{form}} from step {change['step']:,}"
        for change in rows
        for key, label, form in CHANGES
        if isinstance(change.get(key), int | float) and not isinstance(change.get(key), bool)
    )
