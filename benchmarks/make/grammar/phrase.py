"""Two sides of a phrase built at once: words, links and ties. Knows nothing of any language.

A `Word` is itself, not its spelling: two *the* are two words. So phrases join by plain concatenation, and a link stays
right wherever its words move. Positions appear only in `settle`, where neighbors may also melt into one written word
(*le homme* -> *l'homme*, *de el* -> *del*); the melted word inherits the links and ties of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from s2s.data.pair import Gold, Pair, shared_link, shared_relation


class Word:
    """One word before spelling. `before_vowel` is its form there; one that ends in an apostrophe joins what follows."""

    __slots__ = ("before_vowel", "text")

    def __init__(self, text: str, before_vowel: str = "") -> None:
        self.text = text
        self.before_vowel = before_vowel


# A word and the one-letter roles it plays; equal roles on the two sides are linked.
Tagged = tuple[Word, str]


class Tie(NamedTuple):
    """A `Relation` between words that have no position yet."""

    kind: str
    side: str
    head: Word
    dependent: Word


class Phrase(NamedTuple):
    """Source words, target words, and what is known of them."""

    src: tuple[Word, ...] = ()
    tgt: tuple[Word, ...] = ()
    links: tuple[tuple[Word, Word], ...] = ()
    ties: tuple[Tie, ...] = ()


EMPTY = Phrase()


class Orthography(NamedTuple):
    """How neighboring words of a language change each other."""

    # Whether the next word calls for the form `before_vowel`.
    opens_with_vowel: Callable[[str], bool]
    contractions: Mapping[tuple[str, str], str]  # (de, le) -> du
    contracting: frozenset[str] = frozenset()  # the first words of the contractions


def leaf(src: list[Tagged], tgt: list[Tagged], ties: tuple[Tie, ...] = ()) -> Phrase:
    """The smallest phrase: words that share a role are linked, words without a role are not.

    `does- not.n sleep.v` and `ne.n dort.v pas.n` give not-ne, not-pas, sleep-dort; `cannot.mn` goes with both roles.
    """
    links = [
        (src_word, tgt_word)
        for src_word, role in src
        for tgt_word, other in tgt
        if role and (role in other or other in role)
    ]
    src_words = tuple([word for word, _ in src])
    tgt_words = tuple([word for word, _ in tgt])
    return Phrase(src_words, tgt_words, tuple(links), ties)


def join(*phrases: Phrase) -> Phrase:
    """Phrases in the same order on both sides."""
    src, tgt, links, ties = phrases[0]
    for phrase in phrases[1:]:
        if phrase is not EMPTY:
            src = src + phrase.src
            tgt = tgt + phrase.tgt
            links = links + phrase.links
            ties = ties + phrase.ties
    return Phrase(src, tgt, links, ties)


def swap(first: Phrase, second: Phrase) -> Phrase:
    """`first second` in the source, `second first` in the target: *red house*, *maison rouge*."""
    return Phrase(
        first.src + second.src,
        second.tgt + first.tgt,
        first.links + second.links,
        first.ties + second.ties,
    )


def tie(
    kind: str, heads: tuple[Word, Word | None], dependents: tuple[Word | None, Word | None]
) -> tuple[Tie, ...]:
    """A relation on both sides, given as (source, target); a side where either word is missing has none."""
    sides = zip(("src", "tgt"), heads, dependents, strict=True)
    return tuple([Tie(kind, side, head, dep) for side, head, dep in sides if head and dep])


def spell(words: tuple[Word, ...], orthography: Orthography) -> tuple[list[str], dict[Word, int]]:
    """Written words, and where each `Word` went. From right to left: *de le homme* is *de l'homme*, not *du homme*."""
    texts: list[str] = []
    from_the_end: dict[Word, int] = {}
    for word in reversed(words):
        text = word.text
        joins_next = False
        if texts and (word.before_vowel or text in orthography.contracting):
            text, joins_next = meet(word, texts[-1], orthography)
        if joins_next:
            texts[-1] = text
        else:
            texts.append(text)
        from_the_end[word] = len(texts)
    return texts[::-1], {word: len(texts) - back for word, back in from_the_end.items()}


def meet(word: Word, following: str, orthography: Orthography) -> tuple[str, bool]:
    """The text of `word` before `following`, and whether the two are written as one."""
    form = word.before_vowel
    if form and orthography.opens_with_vowel(following):
        is_elided = form.endswith("'")
        return (form + following if is_elided else form), is_elided
    contracted = orthography.contractions.get((word.text, following))
    return (contracted, True) if contracted else (word.text, False)


def settle(phrase: Phrase, src_orthography: Orthography, tgt_orthography: Orthography) -> Pair:
    """The written pair with its gold annotation."""
    src, src_at = spell(phrase.src, src_orthography)
    tgt, tgt_at = spell(phrase.tgt, tgt_orthography)
    at = {"src": src_at, "tgt": tgt_at}
    links = sorted({shared_link(src_at[s], tgt_at[t]) for s, t in phrase.links})
    relations = {
        shared_relation(kind, side, at[side][head], at[side][dep])
        for kind, side, head, dep in phrase.ties
    }
    linked_src = {link.src for link in links}
    linked_tgt = {link.tgt for link in links}
    gold = Gold(
        links=tuple(links),
        unlinked_src=tuple(i for i in range(len(src)) if i not in linked_src),
        unlinked_tgt=tuple(j for j in range(len(tgt)) if j not in linked_tgt),
        relations=tuple(sorted(relations)),
    )
    return Pair(" ".join(src), " ".join(tgt), gold)
