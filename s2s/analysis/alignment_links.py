"""Word alignment extracted from attention weights between words. Arrays in, sets of links out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

from s2s.analysis.attention import Weights
from s2s.analysis.simplify import strongest_cells

Links = frozenset[tuple[int, int]]  # (src, tgt), 0-based words
NEIGHBORS = tuple(step for step in product((-1, 0, 1), repeat=2) if step != (0, 0))


class LinkMethod(NamedTuple):
    """A way to extract links from (tgt_words, src_words) weights."""

    label: str
    extract: Callable[[Weights], Links]
    about: str
    source: str


class LinkScores(NamedTuple):
    """Agreement with gold links, all of them sure, each 0 to 1.

    Precision or recall is None where it would divide by 0.
    """

    precision: float | None
    recall: float | None
    error: float  # 0 is best


def by_target(weights: Weights) -> Links:
    """Each target word with its source word of most weight, the first of equals; none for a row of zeros."""
    if not weights.size:
        return frozenset()
    return frozenset((int(row.argmax()), tgt) for tgt, row in enumerate(weights) if row.any())


def by_source(weights: Weights) -> Links:
    """Each source word with its target word of most weight, the first of equals; none for a column of zeros."""
    return frozenset((src, tgt) for tgt, src in by_target(weights.T))


def intersection(weights: Weights) -> Links:
    """Links of both directions."""
    return by_target(weights) & by_source(weights)


def union(weights: Weights) -> Links:
    """Links of at least one direction."""
    return by_target(weights) | by_source(weights)


def grow_diag(weights: Weights) -> Links:
    """The intersection, grown by links of the union that touch it (corners included) and join a word without a link
    so far.

    In the order of Koehn et al. 2003, section 4.2: by target word, repeated until nothing is added.
    """
    links = set(intersection(weights))
    candidates = union(weights)
    n_tgt, n_src = weights.shape
    while True:
        before = len(links)
        for tgt, src in product(range(n_tgt), range(n_src)):
            if (src, tgt) in links:
                links |= _adjacent(links, candidates, src, tgt)
        if len(links) == before:
            return frozenset(links)


def by_share(weights: Weights, share: float = 0.75) -> Links:
    """Each target word with its source words of most weight, until these hold `share` (0 to 1) of its row."""
    return frozenset((cell.key, cell.row) for cell in strongest_cells(weights, share))


def score_links(
    guess: Collection[tuple[int, int]], gold: Collection[tuple[int, int]]
) -> LinkScores:
    """Score one sentence; `alignment_error_rate` is the error of many.

    Raises ValueError where there is no link at all.
    """
    if not guess and not gold:
        raise ValueError("there are no links to compare")
    hits = len({*guess} & {*gold})
    precision, recall = (hits / len(links) if links else None for links in (guess, gold))
    return LinkScores(precision, recall, 1 - 2 * hits / (len(guess) + len(gold)))


def to_pharaoh(links: Collection[tuple[int, int]]) -> str:
    """`0-0 1-2 2-1`: source and target word, 0-based, by target word."""
    ordered = sorted(links, key=lambda link: (link[1], link[0]))
    return " ".join(f"{src}-{tgt}" for src, tgt in ordered)


def _adjacent(
    links: set[tuple[int, int]], candidates: Links, src: int, tgt: int
) -> set[tuple[int, int]]:
    """The neighbors of a link that are to be added; each is judged with those added before it."""
    added = set[tuple[int, int]]()
    for down, right in NEIGHBORS:
        link = (src + right, tgt + down)
        taken = links | added
        is_free = all(link[0] != other[0] for other in taken) or all(
            link[1] != other[1] for other in taken
        )
        if link in candidates and link not in taken and is_free:
            added.add(link)
    return added


# A slug is stored in links, as `links` in `set`: if you rename one, keep reading the old one.
LINK_METHODS: Mapping[str, LinkMethod] = MappingProxyType(
    {
        "target": LinkMethod(
            "Target to source",
            by_target,
            "Each target word with its source word of most weight. Every target word gets a link, even without a"
            " counterpart.",
            "Och & Ney 2003, section 2.1",
        ),
        "source": LinkMethod(
            "Source to target",
            by_source,
            "Each source word with its target word of most weight. Rows sum to 1 and columns do not, so weak rows"
            " rarely win.",
            "Och & Ney 2003, section 2.1",
        ),
        "both": LinkMethod(
            "Intersection",
            intersection,
            "Links of both directions: few, and mostly right.",
            "Och & Ney 2003, section 2.3",
        ),
        "either": LinkMethod(
            "Union",
            union,
            "Links of at least one direction: many, and more of them wrong.",
            "Och & Ney 2003, section 2.3",
        ),
        "grow-diag": LinkMethod(
            "Grow-diag",
            grow_diag,
            "The intersection, plus adjacent links of the union that join a word without a link: between the two.",
            "Koehn et al. 2003, section 4.2",
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
