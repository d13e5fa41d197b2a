"""Random noun phrases that make sense. Knows nothing of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from benchmarks.make.grammar.lexicon import (
    OF_ROWS,
    Adjective,
    Classes,
    Noun,
    OfPattern,
    adjectives_for,
    nouns_of,
)
from benchmarks.make.grammar.trees import (
    DETERMINER,
    NounPhrase,
)
from benchmarks.make.grammar.usage import (
    BODY,
    OWNERS,
    SET_PHRASES,
    UNOWNED,
    UNOWNED_NOUNS,
    articles_for,
    rivals,
)

Pairs = frozenset[tuple[str, str]]  # an English adjective and an English noun, singular
NO_PAIRS: Pairs = frozenset()


class NounSampler:
    """Draws noun phrases. `banned` pairs of adjective and noun never occur.

    `favored` nouns, and nouns that `sought` pairs with the current adjective, are used wherever they fit.
    """

    def __init__(
        self,
        rng: Random,
        *,
        banned: Pairs = NO_PAIRS,
        sought: Pairs = NO_PAIRS,
        favored: frozenset[Noun] = frozenset(),
    ) -> None:
        self.rng = rng
        self.banned = banned
        self.sought = sought
        self.favored = favored

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def noun_for(self, adjective: Adjective, slot: Classes, avoid: str = "") -> Noun | None:
        slot &= adjective.kinds
        sought = (
            [noun for noun in nouns_of(slot) if (adjective.en, noun.en) in self.sought]
            if self.sought
            else []
        )
        return self.rng.choice(sought) if sought else self.noun(slot, avoid)

    def noun(self, slot: Classes, avoid: str = "") -> Noun | None:
        nouns: Sequence[Noun] = nouns_of(slot)
        if avoid:
            nouns = [noun for noun in nouns if noun.en != avoid]
        if self.favored:
            nouns = [noun for noun in nouns if noun in self.favored] or nouns
        return self.rng.choice(nouns) if nouns else None

    def noun_phrase(self, slot: Classes, articles: str, avoid: str = "") -> NounPhrase:
        """A noun phrase for a slot that takes these classes; `avoid` is a noun the sentence holds already."""
        found = None
        roll = self.rng.random()
        if roll < 0.08:
            found = self.with_complement(slot, articles, avoid)
        elif roll < 0.45:
            found = self.with_adjective(slot, articles, avoid)
        return found or self.plain(slot, articles, avoid)

    def plain(self, slot: Classes, articles: str, avoid: str = "") -> NounPhrase:
        noun = self.noun(slot, avoid)
        if noun is None:
            raise ValueError(f"no noun for the classes {sorted(slot)}")
        return self.determined(noun, articles)

    def determined(
        self, noun: Noun, articles: str, adjectives: tuple[Adjective, ...] = ()
    ) -> NounPhrase:
        """The noun with an article and a number that go together."""
        if noun.kind == "illness":
            articles = "a"
        elif noun.kind == "sport":
            articles = "sport"
        elif noun.counted == "unique":
            articles = "the"
        has_side = any(row.kinds == BODY for row in adjectives)
        number = "s" if has_side else self.number(noun, articles)
        found = self.rng.choice(articles_for(articles, number))
        if found.en in OWNERS and (noun.kind in UNOWNED or noun.en in UNOWNED_NOUNS):
            found = DETERMINER["the"]
        return NounPhrase(found, noun, number == "p", adjectives)

    def number(self, noun: Noun, articles: str) -> str:
        if articles == "a":
            return "s"
        if noun.counted == "mass":
            return "m"
        return "p" if noun.counted == "count" and self.chance(0.36) else "s"

    def with_adjective(self, slot: Classes, articles: str, avoid: str) -> NounPhrase | None:
        """The adjective is drawn first, so that rare ones are not rare in the text; then a noun that it fits."""
        fitting = adjectives_for(slot)
        if not fitting:
            return None
        adjective = self.rng.choice(fitting)
        noun = self.noun_for(adjective, slot, avoid)
        if noun is None or not self.may_stand(adjective, noun):
            return None
        second = self.second_adjective(adjective, noun) if self.chance(0.2) else None
        return self.determined(noun, articles, (adjective, second) if second else (adjective,))

    def second_adjective(self, first: Adjective, noun: Noun) -> Adjective | None:
        """One that French puts after the noun, if the first stands before it: *small black*, *petit ... noir*."""
        if not first.fr.before or first.en in ("right", "former", "great"):
            return None
        fitting = [
            row
            for row in adjectives_for(frozenset({noun.kind}))
            if not row.fr.before and row.en not in rivals(first.en) and self.may_stand(row, noun)
        ]
        return self.rng.choice(fitting) if fitting else None

    def may_stand(self, adjective: Adjective, noun: Noun) -> bool:
        pair = (adjective.en, noun.en)
        return pair not in self.banned and pair not in SET_PHRASES and adjective.en != noun.en

    def with_complement(self, slot: Classes, articles: str, avoid: str) -> NounPhrase | None:
        patterns = [row for row in OF_ROWS if row.heads & slot]
        return (
            self.complemented(self.rng.choice(patterns), slot, articles, avoid)
            if patterns
            else None
        )

    def complemented(
        self, pattern: OfPattern, slot: Classes, articles: str, avoid: str = ""
    ) -> NounPhrase | None:
        noun = self.noun(slot & pattern.heads, avoid)
        if noun is None:
            return None
        tail = self.plain(pattern.tails, pattern.article, noun.en)._replace(plural=False)
        head = self.determined(noun, "described" if pattern.article == "the" else articles)
        return head._replace(complement=tail)
