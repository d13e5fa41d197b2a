"""How much the loss rises without each head, by measurement and by gradient, and what is left of a pruned model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from s2s.analysis import INTERVENTIONS, Floats, heads
from s2s.files import from_json
from s2s.jobs import head_importance
from s2s.questions.finding import Finding, first
from s2s.questions.of_sample import OfSample, PlacedHead, in_order
from s2s.questions.question import Answer, setting
from s2s.questions.table import Table
from s2s.runs import Run

THRESHOLD = 0.05  # of the loss: a head that raises it by less hardly matters
HOW_LABELS = MappingProxyType({name: row.label for name, row in INTERVENTIONS.items()})
WHEN = MappingProxyType(
    {
        "off": "when switched off",
        "uniform": "with uniform weights",
        "mean": "when its output is its mean",
    }
)


@dataclass(frozen=True)
class PruneCurve:
    """The loss by number of heads that are off, with its interval, or the range of several random orders."""

    n_pruned: tuple[int, ...]
    loss: tuple[float, ...]  # nats per token
    low: tuple[float, ...]
    high: tuple[float, ...]
    n_orders: int = 1


@dataclass(frozen=True)
class PrunedScore:
    """Scores of greedy translations after the `n_pruned` least important heads are switched off."""

    order: str  # measured or gradient
    n_pruned: int
    bleu: float
    chrf: float


@dataclass(frozen=True)
class Importance:
    """The importance of every head, measured and by gradient, in nats per token, and the effect of pruning."""

    n: int  # sentences
    n_tokens: int
    loss: float
    measured: heads.PerHead
    gradient: heads.PerHead
    agreement: Mapping[str, Mapping[str, float] | None]  # by kind, and of all
    curves: Mapping[str, PruneCurve]  # measured, gradient, random
    quality: tuple[PrunedScore, ...]
    sample: str = ""

    @property
    def heads(self) -> list[PlacedHead]:
        return [
            PlacedHead(kind, *at)
            for kind in in_order(self.measured.value)
            for at in np.ndindex(*self.measured.value[kind].shape)
        ]


def of_head(values: Mapping[str, Floats], at: PlacedHead) -> float:
    return float(values[at.kind][at.layer, at.head])


def parts(found: heads.PerHead) -> tuple[Mapping[str, Floats], ...]:
    """The values of all heads, and the low and high ends of their intervals."""
    return found.value, found.low, found.high


class ImportanceFacts(NamedTuple):
    """How many heads raise the loss by more than THRESHOLD, and the one that raises it most."""

    n: int
    n_sure: int  # those whose whole interval is above it
    n_heads: int
    when: str
    most: PlacedHead
    change: float
    low: float
    high: float
    share: float  # of the loss

    @property
    def raise_it(self) -> str:
        """The verb for `n` heads: `raises` or `raise`."""
        return "raises" if self.n == 1 else "raise"

    @property
    def sure(self) -> str:
        return "all of them" if self.n_sure == self.n else f"{self.n_sure} of them"


FINDINGS = (
    Finding(
        lambda found: found.n == 0,
        "No head raises the loss by more than 5 % {when}.",
    ),
    Finding(
        lambda found: found.n_heads == 1,
        "The only head raises the loss by {share:.0%} {when} (95 % interval {low:.3f} to {high:.3f} nats per token).",
    ),
    Finding(
        lambda found: True,
        "{n} of {n_heads} heads {raise_it} the loss by more than 5 % {when}, {sure} with their whole 95 % interval."
        " Most of all {most}: {change:.3f} nats per token (95 % interval {low:.3f} to {high:.3f}), {share:.0%} of the"
        " loss.",
    ),
)


class OrderFacts(NamedTuple):
    """Facts on the order of heads: which ones both importances put first, and how far their orders agree."""

    measured: PlacedHead
    gradient: PlacedHead
    rho: float | None  # Spearman, of all heads

    @property
    def agreement(self) -> str:
        return (
            ""
            if self.rho is None
            else f" (rank correlation of all heads {self.rho:.2f})".replace("-", "−")
        )


ORDERS = (
    Finding(
        lambda found: found.measured == found.gradient,
        "The gradient, one pass for all heads, puts the same head first{agreement}.",
    ),
    Finding(
        lambda found: True,
        "The gradient, one pass for all heads, would put {gradient} first{agreement}.",
    ),
)


class PruningFacts(NamedTuple):
    """Facts on pruning: how many heads can be off, the least important first, before the loss has doubled."""

    n: int | None  # heads that are off when it has; None: it never does
    n_heads: int


PRUNING = (
    Finding(
        lambda found: found.n is None,
        "Even without any of its {n_heads} heads the loss does not double.",
    ),
    Finding(
        lambda found: True,
        "With the least important switched off first, the loss has doubled when {n} of {n_heads} heads are off.",
    ),
)


@dataclass(frozen=True)
class OfIntervention(OfSample[Answer]):
    """A question that is measured by ablating one head at a time."""

    experiment: ClassVar[str] = "importance"

    how: str = setting(
        head_importance.DEFAULT,
        choices=HOW_LABELS,
        label="Each head alone is",
        help="What is done to one head at a time.",
    )

    def settings(self, run: Run) -> dict[str, Any]:
        return {"intervention": self.how} if self.how != head_importance.DEFAULT else {}


@dataclass(frozen=True)
class HeadImportance(OfIntervention[Importance]):
    """The change of the loss when each head alone is ablated, and its estimate from one pass with gradients."""

    def answer_of(self, found: Mapping[str, Any]) -> Importance:
        return from_json(Importance, found)

    def table(self, answer: Importance) -> Table:
        rows = [
            [
                at.kind,
                at.layer + 1,
                at.head + 1,
                *(
                    of_head(values, at)
                    for values in (*parts(answer.measured), *parts(answer.gradient))
                ),
            ]
            for at in answer.heads
        ]
        sources = ("measured", "measured low", "measured high", "gradient", "gradient low")
        return Table(("attention", "layer", "head", *sources, "gradient high"), rows)

    def finding(self, answer: Importance) -> str:
        return first(FINDINGS, self.facts(answer))

    def facts(self, answer: Importance) -> ImportanceFacts:
        value, low, high = parts(answer.measured)
        every = answer.heads
        least = THRESHOLD * answer.loss
        most = max(every, key=lambda at: of_head(value, at))
        return ImportanceFacts(
            sum(of_head(value, at) > least for at in every),
            sum(of_head(low, at) > least for at in every),
            len(every),
            WHEN[self.how],
            most,
            of_head(value, most),
            of_head(low, most),
            of_head(high, most),
            of_head(value, most) / answer.loss,
        )


def by_gradient(answer: Importance) -> str:
    """A sentence on whether the gradient puts the same head first."""
    measured, gradient = (
        max(answer.heads, key=lambda at, values=found.value: of_head(values, at))  # type: ignore[misc]
        for found in (answer.measured, answer.gradient)
    )
    of_all = answer.agreement.get("all")
    return first(ORDERS, OrderFacts(measured, gradient, of_all["spearman"] if of_all else None))


def pruning(answer: Importance) -> str:
    """A sentence on how many heads the model can do without."""
    curve = answer.curves["measured"]
    pairs = zip(curve.n_pruned, curve.loss, strict=True)
    twice = next((n for n, loss in pairs if loss >= 2 * answer.loss), None)
    return first(PRUNING, PruningFacts(twice, len(answer.heads)))
