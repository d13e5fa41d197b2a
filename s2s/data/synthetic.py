"""Tasks on random digits with known answers and alignments: copy, reverse, sort."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from random import Random
from types import MappingProxyType

from s2s.config import Choice, choose
from s2s.data.corpus import Corpus, Splits
from s2s.data.options import Options
from s2s.data.pair import Gold, Pair, shared_link

WORDS = tuple("0123456789")
# Words per source.
SHORTEST = 3
LONGEST = 12
SIZES = MappingProxyType({"train": 5000, "valid": 500, "test": 500})  # pairs
SEED = 1

Order = Callable[[list[str]], list[int]]


def copied(words: list[str]) -> list[int]:
    """For each target word, the index of its source word."""
    return list(range(len(words)))


def reversed_(words: list[str]) -> list[int]:
    """For each target word, the index of its source word: the last one first."""
    return list(range(len(words)))[::-1]


def sorted_(words: list[str]) -> list[int]:
    """For each target word, the index of its source word: by value, equal words in their order."""
    return sorted(range(len(words)), key=words.__getitem__)


SYNTHETIC: Mapping[str, Choice[Order]] = MappingProxyType(
    {
        "copy": Choice(copied, Options, "Copy the digits: attention should be the diagonal."),
        "reverse": Choice(
            reversed_,
            Options,
            "Write the digits in reverse order: attention should be the anti-diagonal.",
        ),
        "sort": Choice(
            sorted_,
            Options,
            "Write the digits in ascending order: attention must follow content, not position.",
        ),
    }
)


def opened(name: str, options: Options) -> Splits:
    """The splits of a synthetic task. Raises UserError for an unknown name."""
    order = choose("synthetic task", name, SYNTHETIC).make
    return {split: partial(_corpus, f"synthetic:{name}", split, order) for split in SIZES}


@cache
def _corpus(spec: str, split: str, order: Order) -> Corpus:
    start = sum(list(SIZES.values())[: list(SIZES).index(split)])
    return Corpus(
        spec,
        split,
        tuple(_pair(words, order) for words in _sources()[start : start + SIZES[split]]),
    )


def _sources() -> list[list[str]]:
    """The distinct sources of all splits. Uses only `Random.random`, which is stable between Python versions."""
    draw = Random(SEED).random
    found: dict[str, None] = {}
    while len(found) < sum(SIZES.values()):
        length = SHORTEST + int(draw() * (LONGEST - SHORTEST + 1))
        found[" ".join(WORDS[int(draw() * len(WORDS))] for _ in range(length))] = None
    return [source.split() for source in found]


def _pair(words: list[str], order: Order) -> Pair:
    indices = order(words)
    links = sorted(shared_link(src, tgt) for tgt, src in enumerate(indices))
    return Pair(" ".join(words), " ".join(words[index] for index in indices), Gold(tuple(links)))
