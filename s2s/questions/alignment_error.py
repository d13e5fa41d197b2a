"""How well the links of every cross-attention head match gold links over many sentences, or each other's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from s2s.analysis import LINK_METHODS, REDUCTIONS, Floats
from s2s.config import UserError
from s2s.files import from_json
from s2s.questions.alignment import LINK_LABELS
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.of_sample import OfSample
from s2s.questions.question import subject, view
from s2s.questions.table import Table
from s2s.runs import Run, Sentences, measurements

POOR = 0.5  # of an error: most links are wrong
SCORES = ("error", "low", "high", "precision", "recall")
GONE = "The measurement of these uploaded sentences is not here (any more); upload them again on the page and measure."


def _none() -> Floats:
    return np.zeros((0, 0, 0, 0))


class Cell(NamedTuple):
    """One way to link words: a reduction, a link method, and a head, all as indices from 0."""

    reduction: int
    method: int
    layer: int
    head: int


@dataclass(frozen=True)
class HeadAlignment:
    """How well each head links words: arrays (reductions, methods, layers, heads); NaN if a score is not defined."""

    gold: bool
    n: int  # sentences
    left_out: Mapping[str, int]  # sentences by why
    reductions: tuple[str, ...]  # rows of REDUCTIONS
    methods: tuple[str, ...]  # rows of LINK_METHODS
    error: Floats = field(default_factory=_none)
    low: Floats = field(default_factory=_none)  # 95 % bootstrap interval over sentences
    high: Floats = field(default_factory=_none)
    precision: Floats = field(default_factory=_none)
    recall: Floats = field(default_factory=_none)
    with_others: Floats = field(default_factory=_none)  # mean F1 of a head with all others
    f1: Floats | None = (
        None  # of each two heads, (reductions, methods, heads, heads); None: too many
    )
    sample: str = ""

    @property
    def best(self) -> Cell:
        return Cell(*map(int, np.unravel_index(int(np.nanargmin(self.error)), self.error.shape)))

    @property
    def cells(self) -> list[Cell]:
        order = np.argsort(self.error, axis=None, kind="stable")[: np.isfinite(self.error).sum()]
        return [
            Cell(*map(int, at))
            for at in zip(*np.unravel_index(order, self.error.shape), strict=True)
        ]

    @property
    def head_names(self) -> list[str]:
        """The names of all heads, `1.1`, `1.2`: layer and head from 1."""
        return [
            f"{layer + 1}.{head + 1}" for layer, head in np.ndindex(*self.with_others.shape[2:])
        ]


class BestHead(NamedTuple):
    """Facts about the head, reduction and link method with the lowest alignment error."""

    name: str  # `head 2 of layer 1`
    how: str  # `weights, argmax`
    error: float
    low: float
    high: float
    n_cells: int
    n_alike: int  # other cells whose intervals overlap

    @property
    def start(self) -> str:
        return self.name.capitalize()

    @property
    def others(self) -> str:
        if not self.n_alike:
            return "no other interval overlaps"
        return f"{self.n_alike} more {'interval overlaps' if self.n_alike == 1 else 'intervals overlap'}"


class Agreement(NamedTuple):
    """Facts on how far heads agree: the mean F1 of all heads with all others."""

    f1: float
    how: str


BEST = "AER {error:.3f} (95 % interval {low:.3f} to {high:.3f}), {how}; the lowest of {n_cells} cells, and {others}."
FINDINGS = (
    Finding(
        lambda found: found.error > POOR,
        "No head finds the gold links: the best is {name}, " + BEST,
    ),
    Finding(lambda found: True, "{start} finds the gold links best: " + BEST),
)
AGREEMENTS = (
    Finding(
        lambda found: True,
        "These sentences have no gold links, so nothing says which are right: the links of two heads agree with a mean"
        " F1 of {f1:.2f} ({how}).",
    ),
)


@dataclass(frozen=True)
class AlignmentError(OfSample[HeadAlignment]):
    """The alignment error rate of each head's links; without gold links, how far the heads agree."""

    experiment: ClassVar[str] = "alignment"

    uploaded: str = subject("uploaded sentences")
    links: str = view("target", choices=LINK_LABELS, label="Links")

    def answer_of(self, found: Mapping[str, Any]) -> HeadAlignment:
        known = {name: np.array(found[name], float).tolist() for name in SCORES if name in found}
        return from_json(HeadAlignment, {**found, **known})

    def ask(self, have: Have) -> HeadAlignment:
        """Measure all heads' links. Raises UserError also for uploaded sentences whose measurement is gone."""
        if self.uploaded and not measurements.place(self.request(have)):
            raise UserError(GONE)
        return super().ask(have)

    def sentences(self, have: Have, run: Run) -> Sentences:
        if self.uploaded:
            return Sentences("uploaded", n=self.n, hash=self.uploaded, files=("uploaded",))
        return super().sentences(have, run)

    def table(self, answer: HeadAlignment) -> Table:
        if not answer.gold:
            return _agreements(answer, answer.methods.index(self.links))
        rows = [
            [*named(answer, at), *(float(getattr(answer, name)[at]) for name in SCORES)]
            for at in answer.cells
        ]
        columns = (
            "Reduction",
            "Links",
            "Layer",
            "Head",
            "AER",
            "from",
            "to",
            "Precision",
            "Recall",
        )
        return Table(columns, rows)

    def finding(self, answer: HeadAlignment) -> str:
        if not answer.gold:
            at = answer.methods.index(self.links)
            how = REDUCTIONS[answer.reductions[0]].label.lower()
            return first(AGREEMENTS, Agreement(float(np.nanmean(answer.with_others[0, at])), how))
        return first(FINDINGS, best_head(answer)) if answer.cells else ""


def named(answer: HeadAlignment, at: Cell) -> list[Any]:
    """Reduction, links, layer and head of a cell, as people read them."""
    reduction = REDUCTIONS[answer.reductions[at.reduction]].label
    return [reduction, LINK_METHODS[answer.methods[at.method]].label, at.layer + 1, at.head + 1]


def best_head(answer: HeadAlignment) -> BestHead:
    """The facts for the sentence about the head with the lowest error."""
    at = answer.best
    reduction, links, layer, head = named(answer, at)
    n_alike = int((answer.low <= answer.high[at]).sum()) - 1
    return BestHead(
        f"head {head} of layer {layer}",
        f"{reduction.lower()}, {links.lower()}",
        float(answer.error[at]),
        float(answer.low[at]),
        float(answer.high[at]),
        len(answer.cells),
        n_alike,
    )


def _agreements(answer: HeadAlignment, at: int) -> Table:
    labels = [REDUCTIONS[slug].label for slug in answer.reductions]
    names = answer.head_names
    columns = ["Layer.head", *labels]
    values = [answer.with_others[r, at].ravel() for r in range(len(labels))]
    if answer.f1 is not None:
        columns += [f"{label}, with {other}" for label in labels for other in names]
        values += [
            answer.f1[r, at, :, other] for r in range(len(labels)) for other in range(len(names))
        ]
    rows = [[name, *(float(each[row]) for each in values)] for row, name in enumerate(names)]
    return Table(columns, rows)
