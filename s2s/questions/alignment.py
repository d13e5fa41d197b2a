"""Word alignment from cross-attention: links between words, compared with the gold alignment of the dataset."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np

from s2s.analysis import (
    LINK_METHODS,
    AttentionMap,
    Floats,
    GoldLinks,
    HeadSelection,
    LinkMethod,
    Links,
    LinkScores,
    alignable_words,
    by_share,
    score_links,
)
from s2s.data import has_words
from s2s.questions.attention_of import (
    DEFAULT_REDUCTION,
    REDUCTION_LABELS,
    ForcedAttention,
    OfSentence,
)
from s2s.questions.finding import Finding, first
from s2s.questions.gold import GoldOf
from s2s.questions.have import Have
from s2s.questions.heads_of import is_share
from s2s.questions.question import setting
from s2s.questions.table import Table

LINK_LABELS = MappingProxyType({slug: row.label for slug, row in LINK_METHODS.items()})
SHARE = "share"  # the link method that takes a share


@dataclass(frozen=True)
class Aligned:
    """Links between the words of a source and a target, (source, target) from 0, and what the dataset knows of them."""

    source: str
    target: str
    words: AttentionMap  # (target words, source words), without `<s>` and `</s>`
    links: Links
    gold: Links | None  # None: not known
    scores: LinkScores | None  # where there are gold links
    errors: Floats | None  # (layers, heads) alignment error of each head

    @property
    def right(self) -> str:
        n = len(self.links & (self.gold or frozenset()))
        return "none is" if n == 0 else f"{n} {'is' if n == 1 else 'are'}"

    @property
    def predicted(self) -> str:
        return _links(len(self.links))

    @property
    def correct(self) -> str:
        return _links(len(self.gold or ()))

    @property
    def least(self) -> float:
        return float(np.min(self._errors))

    @property
    def n_best(self) -> int:
        return int((self._errors == self.least).sum())

    @property
    def best(self) -> tuple[int, int]:
        """Layer and head, from 0, of the first head with the least alignment error."""
        layer, head = np.unravel_index(self._errors.argmin(), self._errors.shape)
        return int(layer), int(head)

    @property
    def best_name(self) -> str:
        layer, head = self.best
        return f"head {head + 1} of layer {layer + 1}"

    @property
    def best_start(self) -> str:
        return self.best_name.capitalize()

    @property
    def _errors(self) -> Floats:
        return np.ones((1, 1)) if self.errors is None else self.errors


SCORES = (
    Finding(
        lambda found: bool(found.gold) and found.links == found.gold,
        "The links are exactly those of the gold alignment.",
    ),
    Finding(
        lambda found: bool(found.gold) and bool(found.links),
        "Of {predicted}, {right} correct; the gold alignment has {correct}: precision {scores.precision:.2f}, recall"
        " {scores.recall:.2f}, alignment error {scores.error:.2f}.",
    ),
    Finding(
        lambda found: bool(found.gold), "No words are linked; the gold alignment has {correct}."
    ),
)
BEST = (
    Finding(
        lambda found: found.errors is not None and found.least == 0 and found.n_best == 1,
        "{best_start} matches the gold alignment exactly.",
    ),
    Finding(
        lambda found: found.errors is not None and found.least == 0,
        "{n_best} heads match the gold alignment exactly, for example {best_name}.",
    ),
    Finding(
        lambda found: found.errors is not None and found.least < 1 and found.n_best == 1,
        "{best_start} matches the gold alignment best, with an alignment error of {least:.2f}.",
    ),
    Finding(
        lambda found: found.errors is not None and found.least < 1,
        "{n_best} heads match the gold alignment best, with an alignment error of {least:.2f}, for example"
        " {best_name}.",
    ),
)


@dataclass(frozen=True)
class Alignment(OfSentence[Aligned]):
    """Which words a model's cross-attention links while it writes a target.

    `layer` and `head` are numbers from 1, or `mean`; empty, the last layer and the mean of its heads.
    """

    links: str = setting("target", choices=LINK_LABELS, label="Links")
    share: str = setting("0.75", is_share, label="Share of the weight drawn")
    layer: str = setting("", in_set=False)
    head: str = setting("", in_set=False)
    reduce: str = setting(
        DEFAULT_REDUCTION, choices=REDUCTION_LABELS, label="Shown as", in_set=False
    )

    def ask(self, have: Have) -> Aligned:
        """The links. Raises UserError where the weights are too many to store, or there is no such layer or head."""
        forced = have.answer(self.attention)
        words = self._words(forced, self.attention.which(forced))
        links = self.method.extract(words.weights)
        n_tgt, n_src = words.weights.shape
        is_same = has_words(self.text, n_src) and has_words(forced.target, n_tgt)
        known = have.answer(GoldOf(self.run))
        gold = known.links(self.text, forced.target) if is_same else None
        scores, errors = None, None
        if gold:
            scores = score_links(links, GoldLinks(gold))
            errors = self._errors(forced, gold)
        return Aligned(self.text, forced.target, words, links, gold, scores, errors)

    @property
    def method(self) -> LinkMethod:
        row = LINK_METHODS[self.links]
        if self.links != SHARE:
            return row
        return row._replace(extract=partial(by_share, share=float(self.share)))

    def _words(self, forced: ForcedAttention, which: HeadSelection) -> AttentionMap:
        rows_whole, keys_whole = forced.whole("cross")
        picture = self.attention.all_tokens(forced, which)
        return alignable_words(picture, rows_whole=rows_whole, keys_whole=keys_whole)

    def _errors(self, forced: ForcedAttention, gold: Links) -> Floats:
        errors = np.empty(forced.attention.cross.shape[:2])  # (layers, heads)
        for layer, head in np.ndindex(errors.shape):
            words = self._words(forced, HeadSelection("cross", layer, head))
            links = self.method.extract(words.weights)
            errors[layer, head] = score_links(links, GoldLinks(gold)).error
        return errors

    def stamp(self, have: Have) -> Hashable:
        """What the key has beside the fields: whether the asker may see the dataset; other guests get no gold links."""
        return super().stamp(have), have.may_see_data(have.run(self.run))

    def table(self, answer: Aligned) -> Table:
        columns = ("source position", "target position", "source", "target", "weight", "correct")
        words, gold = answer.words, answer.gold
        rows = [
            [
                src,
                tgt,
                words.keys[src],
                words.rows[tgt],
                float(words.weights[tgt, src]),
                "" if gold is None else "yes" if (src, tgt) in gold else "no",
            ]
            for src, tgt in sorted(answer.links, key=lambda link: link[::-1])
        ]
        return Table(columns, rows, shares=("weight",))

    def finding(self, answer: Aligned) -> str:
        return " ".join(filter(None, (first(SCORES, answer), first(BEST, answer))))


def _links(n: int) -> str:
    return f"{n} link" if n == 1 else f"{n} links"
