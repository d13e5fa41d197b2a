"""A pair of texts and its gold annotation. Knows nothing of tokenizers or files."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple


class Relation(NamedTuple):
    """A grammatical relation between two words of one side, as 0-based word indices."""

    kind: str  # "subject-verb", "determiner-noun" or "adjective-noun"
    side: str  # "src" or "tgt"
    head: int  # verb for subject-verb, noun otherwise
    dependent: int  # subject noun or pronoun, determiner, adjective


class Link(NamedTuple):
    """Source word `src` and target word `tgt` (0-based, counted as `n_words` does) translate each other."""

    src: int
    tgt: int


# A dataset has the same few of them in thousands of pairs, and the garbage collector visits each that is kept: so equal
# ones are one.
shared_link = lru_cache(maxsize=1 << 14)(Link)
shared_relation = lru_cache(maxsize=1 << 14)(Relation)


@dataclass(frozen=True)
class Gold:
    """The annotation of a pair, by the grammar that made it or from an alignment file.

    `links` are sure. Of a grammar's pair every word is in `links`, or in `unlinked_src` or `unlinked_tgt` if it has no
    counterpart. A file may hold links that are only `possible` (Och & Ney 2003, section 6).
    """

    links: tuple[Link, ...]
    unlinked_src: tuple[int, ...] = ()
    unlinked_tgt: tuple[int, ...] = ()
    relations: tuple[Relation, ...] = ()
    possible: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Pair:
    """A source text, its target text, the gold annotation if the dataset has one, and where it was read.

    `line` is a line of a text file, or a row of a .parquet file, from 1; 0 where there is none. `more` are further
    references beside the target, for an evaluation. Equal pairs may differ in both.
    """

    src: str
    tgt: str
    gold: Gold | None = None
    line: int = field(default=0, compare=False, repr=False)
    more: tuple[str, ...] = field(default=(), compare=False, repr=False)


def n_words(text: str) -> int:
    """How many words links count: as in aligners, only spaces and tabs separate them, a no-break space does not.

    `n_words("Vraiment\\u00a0? Oui .")` -> 3
    """
    return len(_words(text))


def has_words(text: str, n: int) -> bool:
    """Whether `n` words of a model are those that links count: as many, and none of these is but a no-break or
    zero-width space, which the model may drop while it splits another word at one.
    """
    words = _words(text)
    return len(words) == n and all(any(map(str.isprintable, word)) for word in words)


def _words(text: str) -> list[str]:
    return [word for word in text.replace("\t", " ").split(" ") if word]


def after_prefix(pair: Pair, prefix: str) -> Pair:
    """The pair with a prefix before its source, whose words are unlinked; links and relations are shifted."""
    gold = pair.gold and shifted_gold(pair.gold, n_words(prefix))
    return Pair(prefix + pair.src, pair.tgt, gold, more=pair.more)


def shifted_gold(gold: Gold, n: int) -> Gold:
    """The annotation of a pair after `n` words were put before its source, to which nothing is linked."""
    links = tuple(shared_link(src + n, tgt) for src, tgt in gold.links)
    possible = tuple(shared_link(src + n, tgt) for src, tgt in gold.possible)
    unlinked_src = (*range(n), *(word + n for word in gold.unlinked_src))
    relations = tuple(
        shared_relation(each.kind, each.side, each.head + n, each.dependent + n)
        if each.side == "src"
        else each
        for each in gold.relations
    )
    return Gold(links, unlinked_src, gold.unlinked_tgt, relations, possible)
