"""The words of the English side by what they can be, from which s2s finds agreement in a visitor's sentence."""

from __future__ import annotations

from benchmarks.make.grammar import english
from benchmarks.make.grammar.lexicon import (
    ADJECTIVE_ROWS,
    NOUN_ROWS,
    PREPOSITION_ROWS,
    VERB_ROWS,
)
from benchmarks.make.grammar.trees import DETERMINER, FREQUENCIES, PRONOUNS, TIMES
from s2s.data.gold_agreement import COMPLEMENT, RELATIVE, EnglishWords

AUXILIARIES = frozenset({"do", "does", "did", "can", "cannot"})
MODALS = frozenset({"want", "wants", "need", "needs"})
OTHER_WORDS = frozenset({"not", "to", "very", "and", "an", COMPLEMENT})


def english_words() -> EnglishWords:
    """All words of the grammar's English; some can be two things."""
    nouns = frozenset(form for row in NOUN_ROWS for form in (row.en, english.plural(row)))
    auxiliaries = AUXILIARIES.union(english.BE_PRESENT, english.BE_PAST)
    forms = (
        {form for row in VERB_ROWS for form in (row.en, row.past, english.with_s(row.en))}
        | auxiliaries
        | MODALS
    )
    particles = frozenset(row.particle for row in VERB_ROWS if row.particle)
    before = RELATIVE.union([row.en for row in FREQUENCIES], [row.en for row in PRONOUNS])
    phrases = [row.en for row in TIMES] + [row.en for row in PREPOSITION_ROWS]
    phrases += [row.en for row in DETERMINER.values()] + [row.en for row in ADJECTIVE_ROWS]
    others = OTHER_WORDS.union(" ".join(phrases).split())
    known = nouns.union(forms, before, particles, others)
    return EnglishWords(nouns, frozenset(forms), before, auxiliaries, particles, known)
