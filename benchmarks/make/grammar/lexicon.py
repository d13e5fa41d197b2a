"""The words as values, read from the tables once. Knows what a word is, not how it is inflected."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from benchmarks.make.grammar.adjectives import ADJECTIVES
from benchmarks.make.grammar.nouns import NOUNS
from benchmarks.make.grammar.verbs import OF, PREPOSITIONS, VERBS

Classes = frozenset[str]

# Names for several classes at once, for the tables.
GROUPS = MappingProxyType(
    {
        "person": "folk kin role",
        "creature": "folk kin role beast winged",
        "alive": "folk kin role beast winged insect",
        "animal": "beast winged insect",
        "container": "crate bag",
        "furniture": "desk seat",
        "object": "thing crate bag vessel text press cloth jewel lamp candle",
        "drinks": "drink plain",
        "food": "fruit dish meal drink plain",
        "waters": "water ocean",
        "sizeable": "beast winged house hall institution crate bag desk seat vehicle plant outdoors town water ocean "
        "room "
        "dish fruit rug",
        "dateable": "text press cloth vehicle house hall institution desk seat instrument ringer",
        "handsome": "beast winged house hall institution outdoors town plant bloom ground coast water ocean jewel "
        "cloth "
        "instrument plane",
        "landmark": "house hall institution plant water ocean ground",
        "cash": "money coin check",
        "building": "house hall",
        "transport": "vehicle transit",
        "place": "house hall institution room outdoors town ground coast",
    }
)


@dataclass(frozen=True, eq=False, slots=True)
class TargetNoun:
    """Gender (`m` or `f`), singular, and a plural where the rules would get it wrong."""

    gender: str
    singular: str
    irregular_plural: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Noun:
    """One meaning of an English noun. `counted`: count, mass, unique or single (see nouns.py)."""

    en: str
    en_irregular_plural: str
    kind: str
    fr: TargetNoun
    es: TargetNoun
    counted: str


@dataclass(frozen=True, eq=False, slots=True)
class TargetAdjective:
    """`forms` as the table spells them; `before`: stands before its noun; `fixed`: never changes; `idiom`: *avoir*."""

    forms: str
    before: bool
    fixed: bool
    idiom: bool


@dataclass(frozen=True, eq=False, slots=True)
class Adjective:
    """One meaning of an English adjective and the classes of nouns it fits."""

    en: str
    kinds: Classes
    fr: TargetAdjective
    es: TargetAdjective
    copula: str  # of Spanish; "" for an adjective that cannot be a predicate

    @property
    def is_attributive(self) -> bool:
        return not self.fr.idiom


@dataclass(frozen=True, eq=False, slots=True)
class TargetVerb:
    """Infinitive (or posture word), the preposition before its object, and how its past or posture behaves."""

    lemma: str
    marker: str = ""
    posture: bool = False
    fixed: bool = False
    takes_etre: bool = False  # past with *être*, whose participle agrees


@dataclass(frozen=True, eq=False, slots=True)
class Verb:
    """One meaning of an English verb: who does it, to what, where."""

    en: str
    past: str
    particle: str
    subjects: Classes
    objects: Classes  # empty for an intransitive verb
    prepositions: Classes
    fr: TargetVerb
    es: TargetVerb
    marks: frozenset[str] = field(default=frozenset())


@dataclass(frozen=True, eq=False, slots=True)
class Preposition:
    """One meaning of a preposition: what stands there, and where."""

    key: str
    en: str
    subjects: Classes
    places: Classes
    fr: str
    es: str


@dataclass(frozen=True, eq=False, slots=True)
class OfPattern:
    """*the bank of the river*: the classes on either side of *of*, and the article after it."""

    heads: Classes
    tails: Classes
    article: str


@cache
def kinds(cell: str) -> Classes:
    """The classes that a cell of a table names, groups expanded."""
    return frozenset(" ".join(GROUPS.get(name, name) for name in cell.split()).split())


def rows(table: str) -> list[list[str]]:
    """The cells of each line of a table ruled with bars."""
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


def target_noun(cell: str) -> TargetNoun:
    gender, _, forms = cell.partition(":")
    singular, _, plural = forms.partition("/")
    return TargetNoun(gender, singular, plural)


def noun(line: str) -> Noun:
    en, kind, fr, es, *counted = line.split()
    singular, _, plural = en.partition("/")
    return Noun(
        singular, plural, kind, target_noun(fr), target_noun(es), counted[0] if counted else "count"
    )


def target_adjective(cell: str) -> TargetAdjective:
    mark = cell[0]
    return TargetAdjective(
        cell.lstrip("+!="), before=mark == "+", fixed=mark in "!=", idiom=mark == "="
    )


def adjective(cells: list[str]) -> Adjective:
    en, classes, fr, es, copula = cells
    return Adjective(
        en, kinds(classes), target_adjective(fr), target_adjective(es), copula.strip("-")
    )


def target_verb(cell: str) -> TargetVerb:
    lemma, _, marker = cell.lstrip("*=!").partition("+")
    return TargetVerb(
        lemma, marker, posture=cell[0] == "=", fixed=cell[1] == "!", takes_etre=cell[0] == "*"
    )


def verb(cells: list[str]) -> Verb:
    english, subjects, objects, prepositions, fr, es, *marks = cells
    base, past, *particle = english.split()
    return Verb(
        base,
        past,
        " ".join(particle),
        kinds(subjects),
        kinds(objects),
        frozenset(prepositions.split()),
        target_verb(fr),
        target_verb(es),
        frozenset(" ".join(marks).split()),
    )


def preposition(cells: list[str]) -> Preposition:
    name = cells[1]
    subjects = kinds(cells[2])
    places = kinds(cells[3])
    fr = cells[4]
    es = cells[5]
    return Preposition(cells[0], name, subjects, places, fr, es)


NOUN_ROWS = tuple(noun(line) for line in NOUNS.strip().splitlines())
ADJECTIVE_ROWS = tuple(adjective(cells) for cells in rows(ADJECTIVES))
VERB_ROWS = tuple(verb(cells) for cells in rows(VERBS))
PREPOSITION_ROWS = tuple(preposition(cells) for cells in rows(PREPOSITIONS))
OF_ROWS = tuple(
    OfPattern(kinds(heads), kinds(tails), article) for heads, tails, article in rows(OF)
)
ALL_KINDS: Classes = frozenset(row.kind for row in NOUN_ROWS)
FIRST_MEANING = MappingProxyType({row.en: row for row in reversed(NOUN_ROWS)})


@cache
def nouns_of(classes: Classes) -> tuple[Noun, ...]:
    """The nouns that a slot for these classes accepts, each in the one meaning that the slot leaves it.

    A second meaning is left out where the first fits too: a *bank* one sees is a house of money, a *bank* one lies on
    is not. This is what makes the translation a function of the English sentence.
    """
    return tuple(
        row
        for row in NOUN_ROWS
        if row.kind in classes
        and (FIRST_MEANING[row.en] is row or FIRST_MEANING[row.en].kind not in classes)
    )


@cache
def adjectives_for(classes: Classes) -> tuple[Adjective, ...]:
    """The adjectives that may stand beside a noun of some of these classes, for random choice.

    One that is never a predicate has three lots, and one for very few nouns as many again, lest they be rare.
    """
    fitting = [row for row in ADJECTIVE_ROWS if row.is_attributive and row.kinds & classes]
    return tuple(
        row
        for row in fitting
        for _ in range((1 if row.copula else 3) * (3 if fits_few(row) else 1))
    )


def fits_few(adjective: Adjective) -> bool:
    return sum(noun.kind in adjective.kinds for noun in NOUN_ROWS) <= 3


def unknown_classes() -> Classes:
    """Classes that some table requires and no noun has: a typing error."""
    kinds = [row.kinds for row in ADJECTIVE_ROWS]
    kinds += [row.subjects | row.objects for row in VERB_ROWS]
    kinds += [row.subjects | row.places for row in PREPOSITION_ROWS]
    kinds += [row.heads | row.tails for row in OF_ROWS]
    return frozenset().union(*kinds) - ALL_KINDS
