"""One parallel text: pairs of sentences, and what is known of them. Knows nothing of tokenizers or files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Relation(NamedTuple):
    """A grammatical tie between two words of one side, as 0-based word indices."""

    kind: str  # "subject-verb", "determiner-noun" or "adjective-noun"
    side: str  # "src" or "tgt"
    head: int  # verb for subject-verb, noun otherwise
    dependent: int  # subject noun or pronoun, determiner, adjective


class Link(NamedTuple):
    """Source word `src` and target word `tgt` (0-based, words split on blanks) translate each other."""

    src: int
    tgt: int


@dataclass(frozen=True)
class Gold:
    """What a grammar knows about a pair for certain.

    Every word of either side stands in `links`, or in `unlinked_src` / `unlinked_tgt` (a word with no counterpart).
    """

    links: tuple[Link, ...]
    unlinked_src: tuple[int, ...] = ()
    unlinked_tgt: tuple[int, ...] = ()
    relations: tuple[Relation, ...] = ()


@dataclass(frozen=True)
class Pair:
    """A source text, its target text, and the gold annotation where the source of the data has one."""

    src: str
    tgt: str
    gold: Gold | None = None
