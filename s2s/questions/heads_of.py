"""Every head of one kind of attention in one sentence: a few numbers and a role each."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import numpy as np

from s2s.analysis import ROLES, SELF, HeadSelection, HeadSummary, LabeledWeights, summarize_heads
from s2s.questions.attention_of import KIND_CHOICES, SCALES, OfSentence, selection
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import setting, view
from s2s.questions.table import Table

ABOUT = MappingProxyType(
    {
        "Role": "A rule of thumb. In a single sentence a head may satisfy a rule by chance.",
        "Entropy": "In nats, mean of the rows. 0: each row attends to one token only; higher: to more of them.",
        "Peak": "The largest weight of a row, mean of the rows. 1: each row attends to one token only.",
    }
)
DISTANCE_OF_SELF = "Mean distance in tokens between a row's position and the tokens it attends to."
DISTANCE_OF_CROSS = "Mean distance in source tokens from the diagonal."


@dataclass(frozen=True)
class HeadsInSentence:
    """The weights of all heads, (layers, heads, rows, keys), and what is said of each; `source` and `target` are the
    sentence's.
    """

    source: str
    target: str
    view: LabeledWeights
    summary: HeadSummary

    @property
    def roles(self) -> list[list[str]]:
        return [[ROLES[slug].label for slug in layer] for layer in self.summary.role]


class OneHead(NamedTuple):
    """A head, from 1, and its role."""

    layer: int
    head: int
    role: str
    rule: str


FINDINGS = (
    Finding(
        lambda one: one.role == ROLES["mixed"].label,
        "In this sentence, head {head} of layer {layer} follows no rule: its role is mixed.",
    ),
    Finding(lambda one: True, "In this sentence, head {head} of layer {layer} is “{role}”. {rule}"),
)


@dataclass(frozen=True)
class HeadsOf(OfSentence[HeadsInSentence]):
    """What every head of one kind of attention does in one sentence, by rules of thumb.

    The selected `layer` and `head` are as in `AttentionOf`; `alone` fills the grid: `2.4`.
    """

    name: ClassVar[str] = "heads-of-sentence"

    kind: str = setting("cross", in_set=False, choices=KIND_CHOICES)
    layer: str = view("", in_set=False)
    head: str = view("", in_set=False)
    scale: str = view("all", choices=SCALES, label="Color scale")
    alone: str = view("")

    def ask(self, have: Have) -> HeadsInSentence:
        found = have.answer(self.attention)
        summary = summarize_heads(found.attention, self.kind)
        weights = found.attention.view(self.kind)
        return HeadsInSentence(found.source, found.target, weights, summary)

    def which(self, answer: HeadsInSentence) -> HeadSelection:
        """The selected layer and head, 0-based. Raises UserError for one that there is not."""
        return selection(self.kind, self.layer, self.head, answer.view.weights.shape)

    def table(self, answer: HeadsInSentence) -> Table:
        summary = answer.summary
        rows = [
            [
                layer + 1,
                head + 1,
                answer.roles[layer][head],
                *(
                    float(each[layer, head])
                    for each in (summary.entropy, summary.peak, summary.distance)
                ),
            ]
            for layer, head in np.ndindex(summary.entropy.shape)
        ]
        away = DISTANCE_OF_SELF if self.kind in SELF else DISTANCE_OF_CROSS
        about = {**ABOUT, "Distance": away}
        return Table(("Layer", "Head", "Role", "Entropy", "Peak", "Distance"), rows, about)

    def finding(self, answer: HeadsInSentence) -> str:
        _, layer, head = self.which(answer)
        if layer is None or head is None:
            return ""
        role = ROLES[str(answer.summary.role[layer, head])]
        return first(FINDINGS, OneHead(layer + 1, head + 1, role.label, role.rule))
