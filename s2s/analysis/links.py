"""From weights between words to word alignment: who links with whom, and how far that agrees with gold. Arrays in, sets out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

from s2s.analysis.attention import Weights
from s2s.analysis.tidy import strongest

Links = frozenset[tuple[int, int]]  # (src, tgt), 0-based words
AROUND = tuple(step for step in product((-1, 0, 1), repeat=2) if step != (0, 0))


class Method(NamedTuple):
    """One row: what makes links of (tgt_words, src_words) weights, and one sentence about it."""

    label: str
    make: Callable[[Weights], Links]
    about: str
    source: str


class Agreement(NamedTuple):
    """With gold links, all of them sure: 0 to 1; for the error, 0 is best. None where there is nothing to divide by."""

    precision: float | None
    recall: float | None
    error: float


def by_target(weights: Weights) -> Links:
    """Each target word with the source word it looks at most, the first of equals; none for a row of zeros."""
    if not weights.size:
        return frozenset()
    return frozenset((int(row.argmax()), tgt) for tgt, row in enumerate(weights) if row.any())


def by_source(weights: Weights) -> Links:
    """Each source word with the target word that looks at it most, the first of equals; none for a column of zeros."""
    return frozenset((src, tgt) for tgt, src in by_target(weights.T))


def both(weights: Weights) -> Links:
    """What either direction says."""
    return by_target(weights) & by_source(weights)


def either(weights: Weights) -> Links:
    """What at least one direction says."""
    return by_target(weights) | by_source(weights)


def grow_diag(weights: Weights) -> Links:
    """From the links of both directions to those of one that touch them, sides and corners, and have a word without a link so far.

    In the order of Koehn et al. 2003, section 4.2: found links target word by target word, over again until nothing is added.
    """
    found = set(both(weights))
    union = either(weights)
    n_tgt, n_src = weights.shape
    while True:
        before = len(found)
        for tgt, src in product(range(n_tgt), range(n_src)):
            if (src, tgt) in found:
                found |= _grown(found, union, src, tgt)
        if len(found) == before:
            return frozenset(found)


def covered(weights: Weights, share: float = 0.75) -> Links:
    """Each target word with those it looks at most, until they hold so large a share (0 to 1) of its row."""
    return frozenset((cell.key, cell.row) for cell in strongest(weights, share))


def agreement(guess: Collection[tuple[int, int]], gold: Collection[tuple[int, int]]) -> Agreement:
    """Of one sentence: its error is what `alignment.error_rate` says of many. Raises ValueError where there is no link at all."""
    if not guess and not gold:
        raise ValueError("there are no links to compare")
    hits = len({*guess} & {*gold})
    precision, recall = (hits / len(links) if links else None for links in (guess, gold))
    return Agreement(precision, recall, 1 - 2 * hits / (len(guess) + len(gold)))


def pharaoh(links: Collection[tuple[int, int]]) -> str:
    """`0-0 1-2 2-1`: source and target word, 0-based, by target word."""
    return " ".join(
        f"{src}-{tgt}" for src, tgt in sorted(links, key=lambda link: (link[1], link[0]))
    )


def _grown(found: set[tuple[int, int]], union: Links, src: int, tgt: int) -> set[tuple[int, int]]:
    """The neighbours of a link that belong to it; each is judged with those before it."""
    new = set[tuple[int, int]]()
    for down, right in AROUND:
        near = (src + right, tgt + down)
        taken = found | new
        is_free = all(near[0] != link[0] for link in taken) or all(
            near[1] != link[1] for link in taken
        )
        if near in union and near not in taken and is_free:
            new.add(near)
    return new


# A slug stands in links, as `links` of `set`: a rename keeps the old one working.
METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "target": Method(
            "Target to source",
            by_target,
            "Each target word with the source word it looks at most. Every target word gets one, even where it has no counterpart.",
            "Och & Ney 2003, section 2.1",
        ),
        "source": Method(
            "Source to target",
            by_source,
            "Each source word with the target word that looks at it most. Rows sum to 1 and columns do not, so weak rows seldom win.",
            "Och & Ney 2003, section 2.1",
        ),
        "both": Method(
            "Intersection",
            both,
            "Links of both directions: few, and mostly right.",
            "Och & Ney 2003, section 2.3",
        ),
        "either": Method(
            "Union",
            either,
            "Links of at least one direction: many, and more of them wrong.",
            "Och & Ney 2003, section 2.3",
        ),
        "grow-diag": Method(
            "Grow-diag",
            grow_diag,
            "The intersection, and links of the union that touch it and join a word without any: between the two.",
            "Koehn et al. 2003, section 4.2",
        ),
        "share": Method(
            "Share of the weight",
            covered,
            "Each target word with those it looks at most, until they hold the share: also several, where it looks at several.",
            "A cut of our own",
        ),
    }
)
