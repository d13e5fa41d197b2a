"""All heads of a sentence: what each does, and the strongest weights of some as lines."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import numpy as np

from s2s.analysis import (
    ROLES,
    SELF,
    AttentionMap,
    Cell,
    HeadSelection,
    HeadSummary,
    LabeledWeights,
    strongest_cells,
    summarize_heads,
)
from s2s.config import UserError
from s2s.questions.attention_of import (
    KIND_CHOICES,
    KIND_NAMES,
    MEAN,
    SCALES,
    AttentionOf,
    ForcedAttention,
    OfSentence,
    selection,
)
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import setting, view
from s2s.questions.row_finding import row_finding
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
SHARE_STEP = 0.05


@dataclass(frozen=True)
class HeadsInSentence:
    """All heads' weights in one sentence, (layers, heads, rows, keys), and a role for each."""

    source: str
    target: str
    view: LabeledWeights
    summary: HeadSummary

    @property
    def roles(self) -> list[list[str]]:
        return [[ROLES[slug].label for slug in layer] for layer in self.summary.role]


class OneHead(NamedTuple):
    """Facts about one head: its layer and number, from 1, and its role."""

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


def is_share(text: str) -> bool:
    """Whether a link's text is a share of the weight that the slider can show."""
    try:
        return SHARE_STEP <= float(text) <= 1
    except ValueError:
        return False


@dataclass(frozen=True)
class AttentionLines(AttentionOf):
    """The strongest weights of each row, until they cover a share of it, as lines between two columns of tokens.

    `heads` are drawn side by side: `1.2 2.4`, layer.head from 1; without any, the layer and head of a heatmap.
    """

    heads: str = view("", label="Heads, side by side")
    share: str = view("0.75", is_share, label="Share of the weight drawn")

    def maps(self, answer: ForcedAttention) -> dict[HeadSelection, AttentionMap]:
        """The maps of the chosen heads. Raises UserError for a head that does not exist."""
        chosen = [self._head(name, answer) for name in self.heads.split()] or [self.which(answer)]
        return {which: self.simplified(answer, which).picture for which in chosen}

    def cells(self, answer: ForcedAttention) -> dict[str, list[Cell]]:
        """The weights to draw for each head, by `layer.head`."""
        share = float(self.share)
        return {
            layer_head(which): strongest_cells(picture.weights, share)
            for which, picture in self.maps(answer).items()
        }

    def table(self, answer: ForcedAttention) -> Table:
        maps = self.maps(answer)
        one = next(iter(maps.values()))
        rows = [
            [layer_head(which), token, *row.tolist()]
            for which, picture in maps.items()
            for token, row in zip(picture.rows, picture.weights, strict=True)
        ]
        return Table(["head", one.verb, *one.keys], rows)

    def finding(self, answer: ForcedAttention) -> str:
        maps = [*self.maps(answer).values()]
        return row_finding(maps[0], is_part=self.drop) if len(maps) == 1 else ""

    def _head(self, name: str, answer: ForcedAttention) -> HeadSelection:
        n_layers, n_heads = answer.attention.view(self.kind).weights.shape[:2]
        if (found := head_at(name, n_layers, n_heads)) is None:
            raise UserError(
                f"There is no head {name[:20]} of {KIND_NAMES[self.kind]} in this model, which has {n_layers} layers"
                f" of {n_heads} heads; give layer.head from 1, such as 1.1."
            )
        return HeadSelection(self.kind, *found)


def head_at(name: str, n_layers: int, n_heads: int) -> tuple[int, int] | None:
    """The layer and head, 0-based, that `2.3` names; None for one that there is not."""
    layer, _, head = name.partition(".")
    is_there = layer.isdecimal() and head.isdecimal()
    if not (is_there and 1 <= int(layer) <= n_layers and 1 <= int(head) <= n_heads):
        return None
    return int(layer) - 1, int(head) - 1


def layer_head(which: HeadSelection) -> str:
    """A selection as text: `2.3` for the third head of layer 2."""
    indices = (which.layer, which.head)
    return ".".join(MEAN if index is None else str(index + 1) for index in indices)
