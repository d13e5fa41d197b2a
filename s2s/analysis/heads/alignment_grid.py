"""AER of every cross-attention head against gold links, by reduction and link method, and how far heads agree.

Knows nothing of runs or screens.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from s2s.analysis.alignment import Floats, Ints
from s2s.analysis.alignment_links import LINK_METHODS, links_by_method
from s2s.analysis.alignment_scores import (
    GoldLinks,
    LinkCounts,
    ScoreArrays,
    count_links,
    error_intervals,
    score_arrays,
)
from s2s.analysis.attention import Weights
from s2s.analysis.heads.word_maps import HEAD_REDUCTIONS, WordPair, word_maps
from s2s.model import Transformer


@dataclass(frozen=True, eq=False)
class AlignmentGrid:
    """The links of every head, reduction and method: their counts in every sentence, and the scores they sum to.

    `reductions` and `methods` are slugs of HEAD_REDUCTIONS and LINK_METHODS.
    """

    reductions: tuple[str, ...]
    methods: tuple[str, ...]
    counts: Ints  # (sentences, reductions, methods, layers, heads, 4), of `LinkCounts`

    @cached_property
    def scores(self) -> ScoreArrays:
        """The scores over the corpus, (reductions, methods, layers, heads) each."""
        return score_arrays(self.counts.sum(0))

    def intervals(self) -> tuple[Floats, Floats]:
        """Ends of AER's 95 % bootstrap interval, (reductions, methods, layers, heads) each."""
        by_method = [error_intervals(self.counts[:, :, at]) for at in range(len(self.methods))]
        low, high = (np.stack(ends, 1) for ends in zip(*by_method, strict=True))
        return low, high


def measure_alignment(
    model: Transformer, pairs: Sequence[WordPair], gold: Sequence[GoldLinks]
) -> Generator[float, None, AlignmentGrid]:
    """Score the links of every head against the gold links of each pair; yields the share done after each sentence.

    Raises UserError without pairs.
    """
    counts: dict[int, Ints] = {}
    for done, found in enumerate(word_maps(model, pairs), 1):
        counts[found.row] = _counts(found.maps, gold[found.row])
        yield done / len(pairs)
    return AlignmentGrid(
        (*HEAD_REDUCTIONS,),
        (*LINK_METHODS,),
        np.stack([counts[row] for row in range(len(pairs))]),
    )


def _counts(maps: Mapping[str, Weights], gold: GoldLinks) -> Ints:
    shape = maps["mean"].shape[:2]
    counts = np.zeros((len(maps), len(LINK_METHODS), *shape, len(LinkCounts._fields)), np.int64)
    for r, of_heads in enumerate(maps.values()):
        for layer, head in np.ndindex(shape):
            links = links_by_method(of_heads[layer, head])
            counts[r, :, layer, head] = [count_links(links[slug], gold) for slug in LINK_METHODS]
    return counts


@dataclass(frozen=True, eq=False)
class AlignmentAgreement:
    """How far heads agree: F1 of each head's links against each other head's, from sums over the corpus; heads in order
    of layers.

    It is 1 - AER with one of the two as gold, whichever. 1 where neither has any link.
    """

    reductions: tuple[str, ...]
    methods: tuple[str, ...]
    f1: Floats  # (reductions, methods, layers * heads, layers * heads)

    @property
    def with_others(self) -> Floats:
        """Each head's mean F1 with all others, NaN for an only head: (reductions, methods, layers * heads)."""
        n_others = self.f1.shape[-1] - 1
        sums = self.f1.sum(-1) - 1  # without the head itself
        means: Floats = sums / n_others if n_others else np.full_like(sums, np.nan)
        return means


def measure_agreement(
    model: Transformer, pairs: Sequence[WordPair]
) -> Generator[float, None, AlignmentAgreement]:
    """Compare the links of each two heads; yields the share done after each sentence.

    Raises UserError without pairs.
    """
    shared: Floats = np.zeros(())  # (reductions, methods, heads, heads): links that both have
    for done, found in enumerate(word_maps(model, pairs), 1):
        shared = shared + _shared_links(found.maps)
        yield done / len(pairs)
    own = np.diagonal(shared, axis1=-2, axis2=-1)  # (reductions, methods, heads)
    both = own[..., :, None] + own[..., None, :]
    f1 = np.divide(2 * shared, both, out=np.ones_like(shared), where=both > 0)
    return AlignmentAgreement((*HEAD_REDUCTIONS,), (*LINK_METHODS,), f1)


def _shared_links(maps: Mapping[str, Weights]) -> Floats:
    """Links of one sentence that two heads share: (reductions, methods, heads, heads)."""
    by_reduction = [
        _linked(of_heads.reshape(-1, *of_heads.shape[2:])) for of_heads in maps.values()
    ]
    linked = np.stack(by_reduction)  # (reductions, methods, heads, cells)
    shared: Floats = (linked @ linked.swapaxes(-1, -2)).astype(np.float64)
    return shared


def _linked(of_heads: Weights) -> Weights:
    """Links: (heads, tgt_words, src_words) -> (methods, heads, cells), 1 where a head links two words, else 0."""
    n_heads, n_tgt, n_src = of_heads.shape
    linked = np.zeros((len(LINK_METHODS), n_heads, n_tgt * n_src), np.float32)
    for head, weights in enumerate(of_heads):
        for method, links in enumerate(links_by_method(weights).values()):
            linked[method, head, [tgt * n_src + src for src, tgt in links]] = 1
    return linked
