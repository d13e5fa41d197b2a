"""What a target language must define, so that one set of productions works for all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from benchmarks.make.grammar.lexicon import (
    Adjective,
    Noun,
    Preposition,
    TargetAdjective,
    TargetNoun,
)
from benchmarks.make.grammar.phrase import Orthography, Tagged, Word
from benchmarks.make.grammar.trees import Action, Agreement, Determiner, Pronoun, When


def spelled(cell: str) -> Word:
    """`le~l'` is *le*, but *l'* before a vowel."""
    text, _, before_vowel = cell.partition("~")
    return Word(text, before_vowel)


def phrase_words(text: str, role: str) -> list[Tagged]:
    """Each space-separated word of a cell, all in one role."""
    return [(spelled(cell), role) for cell in text.split()]


class Language(ABC):
    """A target language. Roles of words: v(erb), m(odal), n(egation), as in `phrase.leaf`."""

    orthography: Orthography
    object_relative: str  # que, with its form before a vowel
    subject_relative: str
    conjunction: str
    of: str
    intensifier: str

    @abstractmethod
    def noun_entry(self, noun: Noun) -> TargetNoun: ...

    @abstractmethod
    def adjective_entry(self, adjective: Adjective) -> TargetAdjective: ...

    @abstractmethod
    def pluralize(self, word: str) -> str: ...

    @abstractmethod
    def inflect(self, forms: str, agreement: Agreement) -> Word: ...

    @abstractmethod
    def determiner_cells(self, determiner: Determiner) -> Sequence[str]: ...

    @abstractmethod
    def pronoun(self, pronoun: Pronoun) -> str: ...

    @abstractmethod
    def preposition(self, preposition: Preposition) -> str: ...

    @abstractmethod
    def when(self, when: When) -> str: ...

    @abstractmethod
    def verb_group(self, action: Action, agreement: Agreement) -> list[Tagged]: ...

    @abstractmethod
    def copula(
        self, adjective: Adjective | None, agreement: Agreement, past: bool, negated: bool
    ) -> list[Tagged]:
        """*to be* before this adjective, or before a location."""

    @abstractmethod
    def object_mark(self, action: Action) -> list[Word]:
        """Words without counterpart between verb and object."""

    def noun(self, noun: Noun, plural: bool) -> Word:
        entry = self.noun_entry(noun)
        if not plural:
            return Word(entry.singular)
        return Word(entry.irregular_plural or self.pluralize(entry.singular))

    def agreement(self, noun: Noun, plural: bool) -> Agreement:
        return Agreement(self.noun_entry(noun).gender == "f", plural, 4 if plural else 2)

    def determiner(self, determiner: Determiner, agreement: Agreement) -> list[Word]:
        cells = self.determiner_cells(determiner)
        return [spelled(cell) for cell in cells[2 * agreement.plural + agreement.feminine].split()]

    def adjective(
        self, adjective: Adjective, agreement: Agreement, attributive: bool
    ) -> list[Word]:
        """The adjective's words, its content word last. Only beside its noun does it take a short form."""
        entry = self.adjective_entry(adjective)
        if entry.fixed or entry.idiom:
            return [Word(word) for word in entry.forms.split()]
        word = self.inflect(entry.forms, agreement)
        return [word if attributive else Word(word.text)]
