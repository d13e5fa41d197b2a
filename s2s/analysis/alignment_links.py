"""Word alignment extracted from attention weights between words. Arrays in, sets of links out."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from s2s.analysis.attention import Weights
from s2s.analysis.simplify import strongest_cells

Links = frozenset[tuple[int, int]]  # (src, tgt), 0-based words
NEIGHBORS = tuple(step for step in product((-1, 0, 1), repeat=2) if step != (0, 0))


Symmetrize = Callable[[Links, Links], Links]  # of `by_target` and `by_source`


class LinkMethod(NamedTuple):
    """A way to extract links from (tgt_words, src_words) weights."""

    label: str
    extract: Callable[[Weights], Links]
    about: str
    source: str
    symmetrize: Symmetrize | None = None  # what `extract` does with the links of both directions


def by_target(weights: Weights) -> Links:
    """Links from each target word to its source word of most weight, the first of equals; none for a row of zeros."""
    if not weights.size:
        return frozenset()
    best = weights.argmax(1).tolist()
    return frozenset((best[tgt], tgt) for tgt in np.flatnonzero(weights.any(1)).tolist())


def by_source(weights: Weights) -> Links:
    """Links of each source word to its target word of most weight, the first of equals; none for a column of zeros."""
    return frozenset((src, tgt) for tgt, src in by_target(weights.T))


def grow_diag(forward: Links, backward: Links) -> Links:
    """Grow-diag: the links in both directions, grown by links of either that touch them (corners included) and join a
    word without a link so far.

    In the order of Koehn et al. 2003, section 4.2: by target word, repeated until nothing is added.
    """
    links = set(forward & backward)
    waiting = set(forward | backward) - links
    linked_src, linked_tgt = _linked_words(links)
    n_src, n_tgt = (
        1 + max((link[side] for link in forward | backward), default=-1) for side in (0, 1)
    )
    n_before = -1
    while waiting and n_before != len(links):
        n_before = len(links)
        for tgt, src in product(range(n_tgt), range(n_src)):
            if (src, tgt) not in links:
                continue
            for down, right in NEIGHBORS:
                link = (src + right, tgt + down)
                if link in waiting and not (link[0] in linked_src and link[1] in linked_tgt):
                    waiting.remove(link)
                    links.add(link)
                    linked_src.add(link[0])
                    linked_tgt.add(link[1])
    return frozenset(links)


def grow_diag_final(forward: Links, backward: Links) -> Links:
    """Grow-diag, then each link of a direction that joins a word without a link so far to any word.

    First the links of `by_target`, then those of `by_source`, each by target word (Koehn et al. 2003, section 4.2).
    """
    return _completed(forward, backward, any)


def grow_diag_final_and(forward: Links, backward: Links) -> Links:
    """Grow-diag, then each link of a direction between two words without a link so far, in the same order."""
    return _completed(forward, backward, all)


def by_share(weights: Weights, share: float = 0.75) -> Links:
    """Links from each target word to its source words of most weight, until these hold `share` (0 to 1) of its row."""
    return frozenset((cell.key, cell.row) for cell in strongest_cells(weights, share))


def to_pharaoh(links: Collection[tuple[int, int]]) -> str:
    """Links as text in Pharaoh format: `0-0 1-2 2-1`, source and target word, 0-based, by target word."""
    return " ".join(f"{src}-{tgt}" for src, tgt in sorted(links, key=by_target_word))


def by_target_word(link: tuple[int, int]) -> tuple[int, int]:
    """A sort key for links: by target word, then by source word."""
    return link[1], link[0]


def links_by_method(weights: Weights) -> dict[str, Links]:
    """The links of every row of `LINK_METHODS`; each direction is found once."""
    directions = (by_target(weights), by_source(weights))
    return {
        slug: row.symmetrize(*directions) if row.symmetrize else row.extract(weights)
        for slug, row in LINK_METHODS.items()
    }


def _symmetrized(label: str, symmetrize: Symmetrize, about: str, source: str) -> LinkMethod:
    def extract(weights: Weights) -> Links:
        return symmetrize(by_target(weights), by_source(weights))

    return LinkMethod(label, extract, about, source, symmetrize)


def _completed(forward: Links, backward: Links, decide: Callable[[Iterable[bool]], bool]) -> Links:
    links = set(grow_diag(forward, backward))
    linked_src, linked_tgt = _linked_words(links)
    for direction in (forward, backward):
        for src, tgt in sorted(direction - links, key=by_target_word):
            if decide((src not in linked_src, tgt not in linked_tgt)):
                links.add((src, tgt))
                linked_src.add(src)
                linked_tgt.add(tgt)
    return frozenset(links)


def _linked_words(links: Collection[tuple[int, int]]) -> tuple[set[int], set[int]]:
    return {src for src, _ in links}, {tgt for _, tgt in links}


# A slug is stored in links, as `links` in `set`: if you rename one, keep reading the old one.
LINK_METHODS: Mapping[str, LinkMethod] = MappingProxyType(
    {
        "target": _symmetrized(
            "Target to source",
            lambda forward, backward: forward,
            "Each target word with its source word of most weight. Every target word gets a link, even without a"
            " counterpart.",
            "Och & Ney 2003, section 2.1",
        ),
        "source": _symmetrized(
            "Source to target",
            lambda forward, backward: backward,
            "Each source word with its target word of most weight. Rows sum to 1 and columns do not, so weak rows"
            " rarely win.",
            "Och & Ney 2003, section 2.1",
        ),
        "both": _symmetrized(
            "Intersection",
            operator.and_,
            "Links of both directions: few, and mostly right.",
            "Och & Ney 2003, section 2.3",
        ),
        "either": _symmetrized(
            "Union",
            operator.or_,
            "Links of at least one direction: many, and more of them wrong.",
            "Och & Ney 2003, section 2.3",
        ),
        "grow-diag": _symmetrized(
            "Grow-diag",
            grow_diag,
            "The intersection, plus adjacent links of the union that join a word without a link: between the two.",
            "Koehn et al. 2003, section 4.2",
        ),
        "grow-diag-final": _symmetrized(
            "Grow-diag-final",
            grow_diag_final,
            "Grow-diag, plus every other link of a direction that joins a word without a link: close to the union.",
            "Koehn et al. 2003, section 4.2",
        ),
        "grow-diag-final-and": _symmetrized(
            "Grow-diag-final-and",
            grow_diag_final_and,
            "Grow-diag, plus every other link of a direction between two words without a link.",
            "Koehn et al. 2005",
        ),
        "share": LinkMethod(
            "Share of the weight",
            by_share,
            "Each target word with its source words of most weight, until these hold the chosen share of it: one or"
            " several.",
            "A threshold of our own",
        ),
    }
)
