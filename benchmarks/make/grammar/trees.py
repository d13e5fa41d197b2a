"""What a sentence says, before any language says it: plain trees over the lexicon."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

from benchmarks.make.grammar.lexicon import Adjective, Noun, Preposition, Verb


class Determiner(NamedTuple):
    """An article or its like. Target cells: masculine, feminine, their plurals; `~` precedes the form before a vowel.

    `fits`: one letter for each kind of noun phrase it goes with, s(ingular), p(lural), m(ass).
    """

    en: str
    fits: str
    fr: tuple[str, str, str, str]
    es: tuple[str, str, str, str]


def determiner(line: str) -> Determiner:
    en, fits, fr, es = (cell.strip() for cell in line.split("|"))
    cells = [tuple(form.strip() for form in cell.split(",")) for cell in (fr, es)]
    (a, b, c, d), (e, f, g, h) = cells
    return Determiner(ENGLISH.get(en, en), fits, (a, b, c, d), (e, f, g, h))


# `part`: some water, an article in French and nothing in Spanish. `bare`: a bottle of wine. `sport`: plays football,
# with an article in French and Spanish only.
ENGLISH = MappingProxyType({"part": "some", "bare": "", "sport": ""})
DETERMINERS = """
the   | spm | le~l', la~l', les, les | el, la~el, los, las
a     | s   | un, une, -, - | un, una~un, -, -
this  | sm  | ce~cet, cette, -, - | este, esta, -, -
these | p   | -, -, ces, ces | -, -, estos, estas
my    | spm | mon, ma~mon, mes, mes | mi, mi, mis, mis
your  | spm | ton, ta~ton, tes, tes | tu, tu, tus, tus
his   | spm | son, sa~son, ses, ses | su, su, sus, sus
her   | spm | son, sa~son, ses, ses | su, su, sus, sus
our   | spm | notre, notre, nos, nos | nuestro, nuestra, nuestros, nuestras
their | spm | leur, leur, leurs, leurs | su, su, sus, sus
some  | p   | -, -, quelques, quelques | -, -, algunos, algunas
part  | m   | de le~l', de la~l', -, - | , , ,
two   | p   | -, -, deux, deux | -, -, dos, dos
three | p   | -, -, trois, trois | -, -, tres, tres
every | s   | chaque, chaque, -, - | cada, cada, -, -
bare  | m   | , , , | , , ,
sport | m   | le~l', la~l', -, - | el, la~el, -, -
"""
DETERMINER = MappingProxyType(
    {line.split()[0]: determiner(line) for line in DETERMINERS.strip().splitlines()}
)


class Agreement(NamedTuple):
    """What a verb, an article or an adjective agrees with. Person: 0 I, 1 you, 2 he or she, 3 we, 4 they."""

    feminine: bool
    plural: bool
    person: int


class Pronoun(NamedTuple):
    """A personal pronoun as a subject; an empty Spanish one is left to the verb."""

    en: str
    agreement: Agreement
    fr: str
    es: str


PRONOUNS = (
    Pronoun("I", Agreement(False, False, 0), "je~j'", ""),
    Pronoun("you", Agreement(False, False, 1), "tu", ""),
    Pronoun("he", Agreement(False, False, 2), "il", "él"),
    Pronoun("she", Agreement(True, False, 2), "elle", "ella"),
    Pronoun("we", Agreement(False, True, 3), "nous", ""),
    Pronoun("they", Agreement(False, True, 4), "ils", "ellos"),
)


class NounPhrase(NamedTuple):
    """*my two small cats who sleep*, or with an of-complement *the bank of the river*. Adjectives in English order."""

    determiner: Determiner
    noun: Noun
    plural: bool = False
    adjectives: tuple[Adjective, ...] = ()
    complement: NounPhrase | None = None
    relative: Relative | None = None


class Both(NamedTuple):
    """Two noun phrases joined by *and*."""

    first: NounPhrase
    second: NounPhrase


class Place(NamedTuple):
    """A preposition and what follows it."""

    preposition: Preposition
    noun_phrase: NounPhrase


class When(NamedTuple):
    """A time at the end of the sentence, as words with roles (see `phrase.leaf`)."""

    en: str
    fr: str
    es: str
    tense: str  # "present", "past" or "any"


class Action(NamedTuple):
    """A verb with what it takes. `modal`: "", "want", "need" or "can"; `often`: an adverb of frequency, or None."""

    verb: Verb
    past: bool = False
    negated: bool = False
    modal: str = ""
    object: NounPhrase | None = None
    place: Place | None = None
    often: When | None = None


class Quality(NamedTuple):
    """*is not very red*."""

    adjective: Adjective
    past: bool = False
    negated: bool = False
    very: bool = False


class Location(NamedTuple):
    """*was by the river*."""

    place: Place
    past: bool = False
    negated: bool = False


Predicate = Action | Quality | Location
Subject = NounPhrase | Pronoun | Both


class Relative(NamedTuple):
    """A clause about a noun: the noun is its subject where `subject` is None, else the object of its verb."""

    subject: NounPhrase | Pronoun | None
    predicate: Predicate


class Clause(NamedTuple):
    """A whole sentence."""

    subject: Subject
    predicate: Predicate
    when: When | None = None


Tree = NounPhrase | Both | Clause

TIMES = (
    When("today", "aujourd'hui", "hoy", "any"),
    When("yesterday", "hier", "ayer", "past"),
    When("now", "maintenant", "ahora", "present"),
    When("in spring", "au printemps", "en primavera", "present"),
    When("in winter", "en hiver", "en invierno", "present"),
    When("in summer", "en été", "en verano", "present"),
)
FREQUENCIES = (
    When("often", "souvent", "a menudo", "present"),
    When("always", "toujours", "siempre", "present"),
)


def inner_nouns(tree: Predicate) -> tuple[NounPhrase, ...]:
    """The noun phrases inside a predicate: its object and its place."""
    if isinstance(tree, Quality):
        return ()
    place = (tree.place.noun_phrase,) if tree.place else ()
    return place if isinstance(tree, Location) or tree.object is None else (tree.object, *place)


def depth(phrase: NounPhrase) -> int:
    """How deep relative clauses nest: 0 without one, 2 for a clause within a clause."""
    relative = phrase.relative
    if relative is None:
        return 0
    own = (relative.subject,) if isinstance(relative.subject, NounPhrase) else ()
    return 1 + max((depth(inner) for inner in (*own, *inner_nouns(relative.predicate))), default=0)
