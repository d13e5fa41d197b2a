"""A few words, and the same words the other way round."""

from __future__ import annotations

from itertools import pairwise

from s2s.data.generated.rng import Dice
from s2s.data.generated.templates import Combination, Combinations, Kind, Text, Told
from s2s.data.generated.vocabulary import BUILDINGS, LOOKS, NAMES, THINGS

WORDS = (*NAMES, *THINGS, *LOOKS, *BUILDINGS)
# words
FEWEST = 3
MOST = 7


def combinations() -> list[Combination]:
    """Words that stand side by side."""
    return [(left, right) for left in WORDS for right in WORDS if left != right]


def tell(dice: Dice, banned: Combinations) -> Told:
    """See the module; no two neighbours are a banned combination, and those of the answer are the first two words."""
    while True:
        words = dice.some(WORDS, dice.between(FEWEST, MOST))
        if banned.isdisjoint(pairwise(words)):
            break
    text = Text()
    places = text.say(" ".join(words))[::-1]
    return Told(text.answered(places, " ".join(words[::-1])), (words[0], words[1]))


KIND = Kind(tell, tuple(combinations()), seed=1946)
