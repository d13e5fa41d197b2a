"""From a tree to a pair of sentences: each production builds both sides, their links and their relations at once.

What is linked with what:
- a verb group is linked as a whole: *chased* with both words of *a chassé*, *sits* with *est* and *assis*;
- *not* is linked with *ne* and *pas*, or *no*; *do*, *does*, *did* and the *to* of an infinitive with nothing;
- *looks for* and *plays* are linked with the one verb they mean and with its preposition (*joue du*);
- a pronoun that Spanish drops is linked with the finite verb that shows its person;
- the Spanish *a* before people and animals, and an article that English lacks, are linked with nothing of their own;
- a contraction or an elision has the links of both its words: *au bord de la rivière*, *l'argent*, *del río*.

The subject of a verb in a relative clause is the noun that the clause is about. The head of subject-verb is the finite
word. Where article and noun melt into one word, their relation has that word on both ends.
"""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.make.grammar import english
from benchmarks.make.grammar.language import Language, phrase_words, spelled
from benchmarks.make.grammar.lexicon import Adjective, kinds
from benchmarks.make.grammar.phrase import (
    EMPTY,
    Phrase,
    Tagged,
    Tie,
    Word,
    join,
    leaf,
    settle,
    swap,
    tie,
)
from benchmarks.make.grammar.trees import (
    Action,
    Agreement,
    Both,
    Clause,
    Location,
    NounPhrase,
    Place,
    Predicate,
    Pronoun,
    Quality,
    Relative,
    Subject,
    Tree,
    When,
)
from s2s.data.pair import Pair

ANIMATE = kinds("alive")  # who, not that
Heads = tuple[Word, Word | None]  # the word that others depend on, in source and target


class Nominal(NamedTuple):
    """A noun phrase ready to be a subject: `heads` are its nouns or its pronoun, one of each conjunct."""

    phrase: Phrase
    heads: tuple[Heads, ...]
    src: Agreement
    tgt: Agreement


def after_finite(adverb: Phrase, group: Phrase) -> Phrase:
    """*often plays*, *joue souvent du*: before an English verb, after the first word of an affirmative present."""
    tgt = group.tgt[:1] + adverb.tgt + group.tgt[1:]
    return Phrase(adverb.src + group.src, tgt, adverb.links + group.links, group.ties)


class Realizer:
    """The productions, for one target language."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def pair(self, tree: Tree) -> Pair:
        if isinstance(tree, Clause):
            phrase = self.clause(tree)
        else:
            phrase = self.subject(tree).phrase
        return settle(phrase, english.ORTHOGRAPHY, self.language.orthography)

    def clause(self, clause: Clause) -> Phrase:
        subject = self.subject(clause.subject)
        when = self.when(clause.when) if clause.when else EMPTY
        return join(subject.phrase, self.predicate(clause.predicate, subject), when)

    def subject(self, subject: Subject) -> Nominal:
        if isinstance(subject, Pronoun):
            return self.pronoun(subject)
        if isinstance(subject, Both):
            return self.both(subject)
        return self.noun_phrase(subject)

    def pronoun(self, pronoun: Pronoun) -> Nominal:
        src = Word(pronoun.en)
        cell = self.language.pronoun(pronoun)
        tgt = spelled(cell) if cell else None
        phrase = leaf([(src, "s")], [(tgt, "s")] if tgt else [])
        return Nominal(phrase, ((src, tgt),), pronoun.agreement, pronoun.agreement)

    def both(self, pair: Both) -> Nominal:
        """*la femme et l'homme* are feminine only together."""
        first = self.noun_phrase(pair.first)
        second = self.noun_phrase(pair.second)
        conjunction = leaf([(Word("and"), "c")], [(Word(self.language.conjunction), "c")])
        agreement = Agreement(first.tgt.feminine and second.tgt.feminine, True, 4)
        phrase = join(first.phrase, conjunction, second.phrase)
        return Nominal(phrase, first.heads + second.heads, agreement, agreement)

    def noun_phrase(self, np: NounPhrase) -> Nominal:
        src = Word(english.plural(np.noun) if np.plural else np.noun.en)
        tgt = self.language.noun(np.noun, np.plural)
        heads: Heads = (src, tgt)
        agreement = self.language.agreement(np.noun, np.plural)
        core = leaf([(src, "x")], [(tgt, "x")])
        nominal = Nominal(core, (heads,), agreement, agreement)
        for adjective in reversed(np.adjectives):
            core = self.attribute(adjective, core, heads, agreement)
        complement = self.complement(np.complement) if np.complement else EMPTY
        relative = self.relative(np.relative, nominal, np.noun.kind) if np.relative else EMPTY
        determiner = self.determiner(np, heads, agreement)
        return nominal._replace(phrase=join(determiner, core, complement, relative))

    def determiner(self, np: NounPhrase, heads: Heads, agreement: Agreement) -> Phrase:
        src = english.words(np.determiner.en, "d")
        for word, _ in src:
            word.before_vowel = "an" if word.text == "a" else ""
        tgt = self.language.determiner(np.determiner, agreement)
        last = (src[-1][0] if src else None, tgt[-1] if tgt else None)
        return leaf(src, [(word, "d") for word in tgt], tie("determiner-noun", heads, last))

    def attribute(
        self, adjective: Adjective, core: Phrase, heads: Heads, agreement: Agreement
    ) -> Phrase:
        """The adjective nearest the noun in English stays nearest: *small black dog*, *perro negro pequeño*."""
        src = Word(adjective.en)
        tgt = self.language.adjective(adjective, agreement, attributive=True)
        ties = tie("adjective-noun", heads, (src, tgt[-1]))
        both = leaf([(src, "a")], [(word, "a") for word in tgt], ties)
        if self.language.adjective_entry(adjective).before:
            return join(both, core)
        return swap(both, core)

    def complement(self, np: NounPhrase) -> Phrase:
        of = leaf([(Word("of"), "o")], [(spelled(self.language.of), "o")])
        return join(of, self.noun_phrase(np).phrase)

    def relative(self, relative: Relative, noun: Nominal, kind: str) -> Phrase:
        language = self.language
        if relative.subject is None:
            who = Word("who" if kind in ANIMATE else "that")
            pronoun = leaf([(who, "r")], [(spelled(language.subject_relative), "r")])
            return join(pronoun, self.predicate(relative.predicate, noun))
        pronoun = leaf([(Word("that"), "r")], [(spelled(language.object_relative), "r")])
        subject = self.subject(relative.subject)
        return join(pronoun, subject.phrase, self.predicate(relative.predicate, subject))

    def predicate(self, predicate: Predicate, subject: Nominal) -> Phrase:
        if isinstance(predicate, Action):
            return self.action(predicate, subject)
        if isinstance(predicate, Quality):
            return self.quality(predicate, subject)
        return self.location(predicate, subject)

    def finite(self, src: list[Tagged], tgt: list[Tagged], subject: Nominal) -> Phrase:
        """A verb group, tied to its subject; a dropped pronoun is linked with the finite verb."""
        src_verb = next(word for word, role in src if role != "n")
        tgt_verb = next(word for word, role in tgt if role != "n")
        ties: tuple[Tie, ...] = ()
        dropped: tuple[tuple[Word, Word], ...] = ()
        for heads in subject.heads:
            ties += tie("subject-verb", (src_verb, tgt_verb), heads)
            pronoun, counterpart = heads
            if counterpart is None:
                dropped += ((pronoun, tgt_verb),)
        group = leaf(src, tgt, ties)
        return group._replace(links=group.links + dropped)

    def action(self, action: Action, subject: Nominal) -> Phrase:
        language = self.language
        group = self.finite(
            english.verb_group(action, subject.src),
            language.verb_group(action, subject.tgt),
            subject,
        )
        if action.often:
            group = after_finite(self.when(action.often), group)
        mark = Phrase(tgt=tuple(language.object_mark(action)))
        what = self.noun_phrase(action.object).phrase if action.object else EMPTY
        where = self.place(action.place) if action.place else EMPTY
        return join(group, mark, what, where)

    def quality(self, quality: Quality, subject: Nominal) -> Phrase:
        language = self.language
        adjective = quality.adjective
        copula = self.finite(
            english.be(subject.src, quality.past, quality.negated),
            language.copula(adjective, subject.tgt, quality.past, quality.negated),
            subject,
        )
        intensifier = EMPTY
        if quality.very:
            very = phrase_words(language.intensifier, "i")
            intensifier = leaf(english.words("very", "i"), very)
        src = Word(adjective.en)
        tgt = language.adjective(adjective, subject.tgt, attributive=False)
        written = None if language.adjective_entry(adjective).idiom else tgt[-1]
        ties = sum((tie("adjective-noun", heads, (src, written)) for heads in subject.heads), ())
        predicate = leaf([(src, "a")], [(word, "a") for word in tgt], ties)
        return join(copula, intensifier, predicate)

    def location(self, location: Location, subject: Nominal) -> Phrase:
        src = english.be(subject.src, location.past, location.negated)
        tgt = self.language.copula(None, subject.tgt, location.past, location.negated)
        return join(self.finite(src, tgt, subject), self.place(location.place))

    def place(self, place: Place) -> Phrase:
        tgt = phrase_words(self.language.preposition(place.preposition), "p")
        preposition = leaf(english.words(place.preposition.en, "p"), tgt)
        return join(preposition, self.noun_phrase(place.noun_phrase).phrase)

    def when(self, when: When) -> Phrase:
        """*in spring*, *au printemps*: word by word where both have as many words, else all with all."""
        src = when.en.split()
        tgt = self.language.when(when).split()
        roles = "12" if len(src) == len(tgt) else "11"
        return leaf(
            [(Word(w), r) for w, r in zip(src, roles, strict=False)],
            [(Word(w), r) for w, r in zip(tgt, roles, strict=False)],
        )
