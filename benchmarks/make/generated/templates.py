"""Texts generated word by word, with the position of each word; and their splits.

The split `unseen` has combinations that no other split has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from benchmarks.make.generated.rng import Rng
from s2s.data.pair import Gold, Pair, shared_link

Combination = tuple[str, str]
Combinations = frozenset[Combination]

SIZES = MappingProxyType({"train": 10_000, "valid": 500, "random": 1_000, "unseen": 500})
HELD_OUT_SHARE = 0.09  # of the plausible combinations
LONGEST = 53  # words; with prefix, `</s>` and BPE's split punctuation still within the 64 tokens of the preset `small`


class GeneratedPair(NamedTuple):
    """A pair, and the combination in its target, such as a thing and its owner."""

    pair: Pair
    combination: Combination


class Template(NamedTuple):
    """How to generate one pair without banned combinations, all combinations, and a seed."""

    generate_pair: Callable[[Rng, Combinations], GeneratedPair]
    combinations: tuple[Combination, ...]
    seed: int


class Text:
    """The words of a source while it is generated."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def append(self, text: str) -> range:
        """Appends words and returns their positions."""
        start = len(self.words)
        self.words += text.split()
        return range(start, len(self.words))

    def with_target(self, positions: Sequence[int], target: str) -> Pair:
        """The pair whose target words correspond to the source words at these positions."""
        links = sorted(shared_link(src, tgt) for tgt, src in enumerate(positions))
        unlinked = sorted(set(range(len(self.words))).difference(positions))
        return Pair(" ".join(self.words), target, Gold(tuple(links), tuple(unlinked)))


def part(template: Template, name: str) -> tuple[Pair, ...]:
    """A split of `SIZES`. Sources are distinct; targets of `unseen` have combinations that no other split has."""
    if name == "unseen":
        return unseen(template)
    sizes = list(SIZES.values())
    start = sum(sizes[: list(SIZES).index(name)])
    return common(template)[start : start + SIZES[name]]


@cache
def common(template: Template) -> tuple[Pair, ...]:
    """The pairs of train, valid and random, from one distribution."""
    size = sum(SIZES.values()) - SIZES["unseen"]
    pairs = (generated.pair for generated in endless(template, held_out(template), template.seed))
    return tuple(islice(distinct(pairs), size))


@cache
def unseen(template: Template) -> tuple[Pair, ...]:
    held = held_out(template)
    pairs = (
        generated.pair
        for generated in endless(template, frozenset(), template.seed + 1)
        if generated.combination in held
    )
    return tuple(islice(distinct(pairs), SIZES["unseen"]))


@cache
def held_out(template: Template) -> Combinations:
    """The combinations that only `unseen` may have."""
    return frozenset(
        Rng(template.seed).some(
            template.combinations, round(HELD_OUT_SHARE * len(template.combinations))
        )
    )


def endless(template: Template, banned: Combinations, seed: int) -> Iterator[GeneratedPair]:
    rng = Rng(seed)
    while True:
        yield template.generate_pair(rng, banned)


def distinct(pairs: Iterator[Pair]) -> Iterator[Pair]:
    """The pairs that are short enough and whose source is new."""
    seen: set[str] = set()
    for pair in pairs:
        if pair.src not in seen and pair.src.count(" ") < LONGEST:
            seen.add(pair.src)
            yield pair
