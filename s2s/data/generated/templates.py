"""How texts are told: word by word, so that each word's place is known; and the splits, of which `unseen` holds something back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from s2s.data.generated.rng import Dice
from s2s.data.pair import Gold, Link, Pair

Combination = tuple[str, str]
Combinations = frozenset[Combination]

SIZES = MappingProxyType({"train": 10_000, "valid": 500, "random": 1_000, "unseen": 500})
HELD_OUT_SHARE = 0.09  # of the combinations that make sense
LONGEST = 53  # words; with a prefix, `</s>` and points cut off by byte pairs still within the 64 tokens of the preset `small`


class Told(NamedTuple):
    """A pair, and what its target combines: a thing and who has it, say."""

    pair: Pair
    combination: Combination


class Kind(NamedTuple):
    """One kind of text: how one that holds none of some combinations is drawn, and all combinations. Another seed, other texts."""

    tell: Callable[[Dice, Combinations], Told]
    combinations: tuple[Combination, ...]
    seed: int


class Text:
    """The words of a source as it grows."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def say(self, text: str) -> range:
        """Adds words; where they stand now."""
        start = len(self.words)
        self.words += text.split()
        return range(start, len(self.words))

    def answered(self, places: Sequence[int], target: str) -> Pair:
        """The pair whose target says, word by word, what stands at these places of the source, or the like."""
        links = sorted(Link(src, tgt) for tgt, src in enumerate(places))
        unlinked = sorted(set(range(len(self.words))).difference(places))
        return Pair(" ".join(self.words), target, Gold(tuple(links), tuple(unlinked)))


def part(kind: Kind, name: str) -> tuple[Pair, ...]:
    """One of `SIZES`. No source stands twice in any; each target of `unseen` combines what no text of the others does."""
    if name == "unseen":
        return unseen(kind)
    sizes = list(SIZES.values())
    start = sum(sizes[: list(SIZES).index(name)])
    return common(kind)[start : start + SIZES[name]]


@cache
def common(kind: Kind) -> tuple[Pair, ...]:
    """train, valid and random in a row: one distribution."""
    size = sum(SIZES.values()) - SIZES["unseen"]
    pairs = (told.pair for told in endless(kind, held_out(kind), kind.seed))
    return tuple(islice(distinct(pairs), size))


@cache
def unseen(kind: Kind) -> tuple[Pair, ...]:
    held = held_out(kind)
    pairs = (
        told.pair for told in endless(kind, frozenset(), kind.seed + 1) if told.combination in held
    )
    return tuple(islice(distinct(pairs), SIZES["unseen"]))


@cache
def held_out(kind: Kind) -> Combinations:
    """What only `unseen` may hold."""
    return frozenset(
        Dice(kind.seed).some(kind.combinations, round(HELD_OUT_SHARE * len(kind.combinations)))
    )


def endless(kind: Kind, banned: Combinations, seed: int) -> Iterator[Told]:
    dice = Dice(seed)
    while True:
        yield kind.tell(dice, banned)


def distinct(pairs: Iterator[Pair]) -> Iterator[Pair]:
    """Those that are short enough and whose source is new."""
    seen: set[str] = set()
    for pair in pairs:
        if pair.src not in seen and pair.src.count(" ") < LONGEST:
            seen.add(pair.src)
            yield pair
