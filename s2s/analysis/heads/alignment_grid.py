"""AER of every cross-attention head against gold links: layers x heads, by reduction and link method.

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
    """Counts of every cell in every sentence, and the scores they sum to.

    `reductions` and `methods` are slugs of HEAD_REDUCTIONS and LINK_METHODS.
    """

    reductions: tuple[str, ...]
    methods: tuple[str, ...]
    counts: Ints  # (sentences, reductions, methods, layers, heads, 4), of `LinkCounts`

    @cached_property
    def scores(self) -> ScoreArrays:
        """Corpus scores, (reductions, methods, layers, heads) each."""
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
