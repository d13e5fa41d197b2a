"""English, the source side: spelling, plurals and verbs. Knows nothing of its translations."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType

from benchmarks.make.grammar.lexicon import Noun, Verb
from benchmarks.make.grammar.phrase import Orthography, Tagged, Word
from benchmarks.make.grammar.trees import Action, Agreement

ORTHOGRAPHY = Orthography(lambda word: word[0] in "aeiou", MappingProxyType({}))
BE_PRESENT = ("am", "are", "is", "are", "are")
BE_PAST = ("was", "were", "was", "were", "were")


@cache
def with_s(word: str) -> str:
    """The plural of a noun, or the third person of a verb.

    >>> with_s("watch"), with_s("fly"), with_s("play")
    ('watches', 'flies', 'plays')
    """
    if word == "have":
        return "has"
    if word.endswith(("s", "sh", "ch", "x")):
        return word + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def plural(noun: Noun) -> str:
    return noun.en_irregular_plural or with_s(noun.en)


def inflected(base: str, agreement: Agreement) -> str:
    return with_s(base) if agreement.person == 2 else base


def words(text: str, role: str) -> list[Tagged]:
    """Each space-separated word of `text`, all in one role."""
    return [(Word(word), role) for word in text.split()]


def be(agreement: Agreement, past: bool, negated: bool) -> list[Tagged]:
    forms = BE_PAST if past else BE_PRESENT
    verb = words(forms[agreement.person], "v")
    return verb + words("not", "n") if negated else verb


def do(action: Action, agreement: Agreement) -> list[Tagged]:
    """*does not*: the verb it supports carries the meaning, so *do* has no counterpart."""
    present = "does" if agreement.person == 2 else "do"
    return words("did" if action.past else present, "") + words("not", "n")


def modal(action: Action, agreement: Agreement) -> list[Tagged]:
    """*cannot sleep*, *wants to sleep*; *to* has no counterpart."""
    if action.modal == "can":
        return words("cannot", "mn") if action.negated else words("can", "m")
    if action.negated:
        return do(action, agreement) + words(action.modal, "m") + words("to", "")
    return words(inflected(action.modal, agreement), "m") + words("to", "")


def main_verb(verb: Verb, action: Action, agreement: Agreement) -> str:
    if action.modal or action.negated:
        return verb.en
    return verb.past if action.past else inflected(verb.en, agreement)


def verb_group(action: Action, agreement: Agreement) -> list[Tagged]:
    """The verb with its auxiliaries: roles v(erb), m(odal), n(egation), none for *do* and *to*."""
    verb = action.verb
    before: list[Tagged] = []
    if action.modal:
        before = modal(action, agreement)
    elif action.negated:
        before = do(action, agreement)
    main = main_verb(verb, action, agreement)
    return before + words(f"{main} {verb.particle}", "v")
