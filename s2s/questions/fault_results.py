"""What was measured of runs with a fault made on purpose, each beside a healthy run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from s2s.config import NO_FAULT
from s2s.demo import Measured, shipped_faults
from s2s.faults import FAULTS
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import Question, view
from s2s.questions.table import Table

BROKEN = "with the fault"
HEALTHY = "healthy"
# Fault -> the number that gives it away.
SHOWN_BY = MappingProxyType(
    {
        "unshifted-labels": "exact match",
        "no-causal-mask": "BLEU",
        "no-padding-mask": "repeatable",
        "no-positions": "exact match",
        "no-scale": "validation loss",
        "no-residual": "validation loss",
        "no-end": "ended",
        "dropout-on": "test loss",
        "no-source-end": "exact match",
    }
)


class Measure(NamedTuple):
    """How one measured number is shown, and said in a sentence."""

    form: str
    about: str
    phrase: str = ""  # with the number in braces

    def written(self, value: float) -> str:
        """A value as text, `0.93548` -> `93.5%`; a dash for NaN."""
        return "–" if math.isnan(value) else self.form.format(value)


MEASURES = MappingProxyType(
    {
        "training loss": Measure("{:.3g}", "Nats per token: mean of the last 20 training steps."),
        "validation loss": Measure(
            "{:.3g}",
            "Nats per token, on held-out pairs, during training.",
            "the validation loss ends at {}",
        ),
        "test loss": Measure(
            "{:.3g}",
            "Nats per token of the references, as the model translates: a fault of training alone no longer acts.",
            "the loss of the references is {}",
        ),
        "exact match": Measure(
            "{:.1%}", "Translations that equal the reference.", "{} of the translations are right"
        ),
        "BLEU": Measure("{:.1f}", "Of held-out sentences, from 0 to 100.", "BLEU is {}"),
        "ended": Measure(
            "{:.0%}",
            "Translations that end before the limit.",
            "{} of the translations end before the limit",
        ),
        "repeatable": Measure(
            "{:.0%}",
            "Sentences with the same translation alone and in a batch with others.",
            "{} of the sentences get the same translation alone and in a batch",
        ),
    }
)


@dataclass(frozen=True)
class MeasuredFaults:
    """Results by `trained FAULT` or `demo FAULT`; `none` is the healthy run."""

    results: Mapping[str, Measured]

    def pair(self, fault: str) -> tuple[Measured, Measured]:
        kind = "demo" if FAULTS[fault].when == "inference" else "trained"
        return self.results[f"{kind} {fault}"], self.results[f"{kind} {NO_FAULT}"]


class FaultyRun(NamedTuple):
    """A run with a fault beside the healthy one, and the measure that gives it away."""

    broken: Measured
    healthy: Measured
    measure: str

    @property
    def loss_hides_it(self) -> bool:
        """Whether the faulty run's training loss ends lower, while its translations are worse."""
        is_lower = (self.broken.final_loss or 0.0) < (self.healthy.final_loss or 0.0)
        return is_lower and self.broken.outcome.bleu < self.healthy.outcome.bleu

    @property
    def with_fault(self) -> str:
        return MEASURES[self.measure].phrase.format(self._written(self.broken, self.measure))

    @property
    def without(self) -> str:
        return self._written(self.healthy, self.measure)

    @property
    def losses(self) -> tuple[str, str]:
        broken, healthy = (self._written(one, "training loss") for one in self[:2])
        return broken, healthy

    def _written(self, one: Measured, measure: str) -> str:
        return MEASURES[measure].written(numbers(one)[measure])


FINDINGS = (
    Finding(lambda run: numbers(run.broken) == numbers(run.healthy), ""),
    Finding(
        lambda run: run.loss_hides_it,
        "The training loss ends lower with the fault, at {losses[0]} instead of {losses[1]} nats per token, but the"
        " translations are worse: {with_fault}; in the healthy run, {without}.",
    ),
    Finding(lambda run: True, "With the fault, {with_fault}; in the healthy run, {without}."),
)


@dataclass(frozen=True)
class FaultResults(Question[MeasuredFaults]):
    """The results of all faults that can be made on purpose; `fault` is the one that is shown."""

    fault: str = view(
        "unshifted-labels",
        choices=lambda: {name: row.title for name, row in FAULTS.items()},
        in_set=False,
    )

    def ask(self, have: Have) -> MeasuredFaults:
        return MeasuredFaults(shipped_faults())

    def table(self, answer: MeasuredFaults) -> Table:
        broken, healthy = map(numbers, answer.pair(self.fault))
        rows = [
            [name, broken[name], healthy[name]]
            for name in MEASURES
            if not math.isnan(broken[name]) or not math.isnan(healthy[name])
        ]
        return Table(("measure", BROKEN, HEALTHY), rows)

    def finding(self, answer: MeasuredFaults) -> str:
        return first(FINDINGS, FaultyRun(*answer.pair(self.fault), SHOWN_BY[self.fault]))


def numbers(one: Measured) -> dict[str, float]:
    """What was measured, by the names of MEASURES; NaN for what was not measured."""
    outcome = one.outcome
    return {
        "training loss": math.nan if one.final_loss is None else one.final_loss,
        "validation loss": one.valid_loss[-1] if one.valid_loss else math.nan,
        "test loss": outcome.loss,
        "exact match": outcome.exact_match,
        "BLEU": outcome.bleu,
        "ended": outcome.ended,
        "repeatable": outcome.repeatable,
    }
