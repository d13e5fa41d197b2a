"""What goes with what beyond the classes: articles, owners, opposites, set phrases, and verbs after *can*."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from benchmarks.make.grammar.lexicon import ALL_KINDS, Classes, Verb, kinds
from benchmarks.make.grammar.trees import DETERMINER, PRONOUNS, Determiner

PERSON = kinds("person")
ALIVE = kinds("alive")
BODY = kinds("body")  # *left* and *right* fit nothing else, and one hand only
# Nouns that need a verb of their own: a sport is played, a cold is had.
ALONE: Classes = ALL_KINDS - {"sport", "illness"}
MODALS = ("want", "need", "can")
UNGRADABLE = frozenset(
    {"open", "closed", "broken", "right", "left", "empty", "full", "great", "former", "new"}
)
THIRD_PERSONS = tuple(row for row in PRONOUNS if row.agreement.person in (2, 4))
# The other persons more often: only they have their forms of the verb, while nouns share those of *he* and *they*.
SUBJECT_PRONOUNS = (
    PRONOUNS[0],
    *PRONOUNS,
    *(row for row in PRONOUNS if row.agreement.person in (0, 1, 3)),
)

DEFINITE = (*["the"] * 9, "this", "these", "my", "your", "his", "her", "our", "their")
OWNERS = frozenset({"my", "your", "his", "her", "our", "their"})
# What nobody calls *my*.
UNOWNED = kinds("folk insect hall institution town water shore ground coast star sky contest")
UNOWNED_NOUNS = frozenset({"street", "forest", "wolf", "bear", "mouse", "bat"})
# What the French adjective makes a set phrase with another meaning (*bonne sœur*, a nun).
SET_PHRASES = frozenset({("good", "sister"), ("old", "girl"), ("old", "boy"), ("small", "friend")})
# Adjectives of one line do not share a noun: *the red car is blue*.
RIVALS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        word: frozenset(line.split())
        for line in """
red blue green yellow orange white black brown grey
big small long tall
old new young former
happy sad
rich poor
hot cold fresh
heavy light
full empty
open closed
dirty clean
dry wet muddy
hard easy soft
good bad great right left important
wooden gold glass
""".strip().splitlines()
        for word in line.split()
    }
)
INDEFINITE = ("a", "a", "some", "two", "three")
ARTICLES: Mapping[str, tuple[Determiner, ...]] = MappingProxyType(
    {
        # where -> determiners, each as often as it is listed
        "subject": tuple(
            DETERMINER[key] for key in (*DEFINITE, "the", "the", "two", "three", "some", "every")
        ),
        "definite": tuple(DETERMINER[key] for key in DEFINITE),
        "any": tuple(DETERMINER[key] for key in (*DEFINITE, *INDEFINITE, "part", "part")),
        "place": tuple(
            DETERMINER[key] for key in (*["the"] * 6, "a", "a", "this", "my", "his", "our", "their")
        ),
        "described": tuple(
            DETERMINER[key] for key in ("the", "the", "the", "the", "this", "these")
        ),
        "the": (DETERMINER["the"],),
        "a": (DETERMINER["a"],),
        "bare": (DETERMINER["bare"],),
        "sport": (DETERMINER["sport"],),
    }
)


@cache
def articles_for(where: str, number: str) -> tuple[Determiner, ...]:
    """The determiners of this list that go with a number, s(ingular), p(lural) or m(ass); *a* where there are none."""
    return tuple(row for row in ARTICLES[where] if number in row.fits) or (DETERMINER["a"],)


def modals_of(verb: Verb) -> tuple[str, ...]:
    """Who wants is alive; *wants to have*, *can fall* and the like say little."""
    if not verb.marks.isdisjoint({"present", "plain"}) or verb.fr.posture or verb.fr.takes_etre:
        return ()
    if verb.subjects <= ALIVE:
        return MODALS
    return ("can",) if verb.subjects & ALIVE else ()


def rivals(adjective: str) -> frozenset[str]:
    return RIVALS.get(adjective, frozenset()) | {adjective}
