"""Which verb of an English sentence agrees with a subject on the other side of a relative clause.

*the cats who chased the mouse were black*: *were* agrees with *cats*. Read from the words of this grammar alone, whose
gold relations say the same of every sentence that it makes.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from s2s.data.grammar import english
from s2s.data.grammar.lexicon import ADJECTIVE_ROWS, NOUN_ROWS, PREPOSITION_ROWS, VERB_ROWS
from s2s.data.grammar.trees import DETERMINER, FREQUENCIES, PRONOUNS, TIMES

RELATIVE = frozenset({"who", "that"})
COMPLEMENT = "of"
AUXILIARIES = frozenset({"do", "does", "did", "can", "cannot"})
MODALS = frozenset({"want", "wants", "need", "needs"})
OTHER_WORDS = frozenset({"not", "to", "very", "and", "an", COMPLEMENT})


class LongAgreement(NamedTuple):
    """Word indices, from 0, of a subject and of the verb that agrees with it across a relative clause."""

    subject: int
    verb: int


class Lexicon(NamedTuple):
    """The words of the English side by what they can be; some can be two things."""

    nouns: frozenset[str]
    finite: frozenset[str]
    before_finite: frozenset[str]  # words other than nouns that a finite verb can follow
    auxiliaries: frozenset[str]  # finite verbs that no other one can follow
    particles: frozenset[str]  # *looks for*
    all: frozenset[str]


def agreement_across_clause(sentence: str) -> LongAgreement | None:
    """None where no relative clause stands between a subject and its verb, or the grammar lacks a word.

    >>> agreement_across_clause("the cats who chased the mouse were black")
    LongAgreement(subject=1, verb=6)
    >>> agreement_across_clause("the mouse saw the cats who were black")
    """
    words = sentence.split()
    if unknown_to_grammar(sentence):
        return None
    clauses = [at for at, word in enumerate(words) if word in RELATIVE]
    verbs = _finite_verbs(words)
    if not clauses or len(verbs) <= len(clauses) or verbs[0] < clauses[0]:
        return None
    before = words[: clauses[0]]
    subject = before.index(COMPLEMENT) if COMPLEMENT in before else len(before)
    return LongAgreement(subject - 1, verbs[len(clauses)])


def unknown_to_grammar(sentence: str) -> tuple[str, ...]:
    """The words that the grammar's English lacks: of a sentence with one, nothing is known."""
    return tuple(word for word in sentence.split() if word not in _lexicon().all)


def _finite_verbs(words: list[str]) -> list[int]:
    """After a noun, a pronoun or an adverb; or after the verb of an object relative clause (*that she sees is*)."""
    lexicon = _lexicon()
    found: list[int] = []
    for at in range(1, len(words)):
        before = words[at - 1]
        verb_at = at - 2 if before in lexicon.particles else at - 1
        if verb_at in found:
            may_follow = words[verb_at] not in lexicon.auxiliaries
        else:
            may_follow = before in lexicon.nouns or before in lexicon.before_finite
        if words[at] in lexicon.finite and may_follow:
            found.append(at)
    return found


@cache
def _lexicon() -> Lexicon:
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
    return Lexicon(nouns, frozenset(forms), before, auxiliaries, particles, known)
