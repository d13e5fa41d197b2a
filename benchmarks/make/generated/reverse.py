"""A few words, and the same words in reverse order."""

from __future__ import annotations

from itertools import pairwise

from benchmarks.make.generated.rng import Rng
from benchmarks.make.generated.templates import (
    Combination,
    Combinations,
    GeneratedPair,
    Template,
    Text,
)
from benchmarks.make.generated.vocabulary import BUILDINGS, LOOKS, NAMES, THINGS

WORDS = (*NAMES, *THINGS, *LOOKS, *BUILDINGS)
# Words per text.
MIN_WORDS = 3
MAX_WORDS = 7


def combinations() -> list[Combination]:
    """All pairs of adjacent words."""
    return [(left, right) for left in WORDS for right in WORDS if left != right]


def generate_pair(rng: Rng, banned: Combinations) -> GeneratedPair:
    """A text without banned combinations of adjacent words; its own combination is its first two words."""
    while True:
        words = rng.some(WORDS, rng.between(MIN_WORDS, MAX_WORDS))
        if banned.isdisjoint(pairwise(words)):
            break
    text = Text()
    positions = text.append(" ".join(words))[::-1]
    return GeneratedPair(text.with_target(positions, " ".join(words[::-1])), (words[0], words[1]))


TEMPLATE = Template(generate_pair, tuple(combinations()), seed=1946)
