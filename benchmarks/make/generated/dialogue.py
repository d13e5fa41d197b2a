"""A few facts and a question; the last fact about the thing or person is the answer.

Things change hands, people move.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.make.generated.rng import Rng
from benchmarks.make.generated.templates import (
    Combination,
    Combinations,
    GeneratedPair,
    Template,
    Text,
)
from benchmarks.make.generated.vocabulary import NAMES, PLACES, SPOTS, THINGS

# Facts per text.
MIN_FACTS = 3
MAX_FACTS = 6
# Somebody gets a thing that nobody has; somebody gets it from its holder; a thing is or is put somewhere; somebody
# moves.
GET_FACTS = ("{holder} has the {thing}", "{holder} took the {thing}", "{holder} found the {thing}")
PASS_FACTS = (
    "{giver} gave the {thing} to {holder}",
    "{holder} took the {thing}",
    "{holder} has the {thing} now",
)
LIES_FACT = "the {thing} is {spot}"
PUT_FACT = "{giver} put the {thing} {spot}"
GO_FACTS = (
    "{name} went to the {location}",
    "{name} is in the {location}",
    "{name} walked to the {location}",
)


class Fact(NamedTuple):
    """A fact about a thing or person, and its value: a holder, a spot or a location."""

    text: str
    subject: str
    value: str

    @property
    def combination(self) -> Combination:
        return self.subject, self.value


def combinations() -> list[Combination]:
    """All combinations of things with holders and spots, and of people with locations."""
    return [
        *((thing, value) for thing in THINGS for value in (*NAMES, *SPOTS)),
        *((name, location) for name in NAMES for location in PLACES),
    ]


def fact(rng: Rng, subject: str, people: Sequence[str], last: str) -> Fact:
    """A new fact about a thing or person whose last value was `last`."""
    if subject in NAMES:
        location = rng.choice([one for one in PLACES if one != last])
        return Fact(rng.choice(GO_FACTS).format(name=subject, location=location), subject, location)
    giver = last if last in NAMES else ""
    if rng.chance(0.5):
        holder = rng.choice([name for name in people if name != last])
        text = rng.choice(PASS_FACTS if giver else GET_FACTS).format(
            giver=giver, holder=holder, thing=subject
        )
        return Fact(text, subject, holder)
    spot = rng.choice([spot for spot in SPOTS if spot != last])
    text = PUT_FACT if giver else LIES_FACT
    return Fact(text.format(giver=giver, thing=subject, spot=spot), subject, spot)


def facts(rng: Rng, banned: Combinations) -> list[Fact]:
    """Facts about two or three things and people: one about each, then random ones."""
    people = rng.some(NAMES, 4)
    subjects = rng.some([*rng.some(THINGS, 2), *people[:2]], rng.between(2, 3))
    generated: list[Fact] = []
    last: dict[str, str] = {}
    size = rng.between(MIN_FACTS, MAX_FACTS)
    while len(generated) < size:
        subject = (
            subjects[len(generated)] if len(generated) < len(subjects) else rng.choice(subjects)
        )
        new = fact(rng, subject, people, last.get(subject, ""))
        if new.combination not in banned:
            generated.append(new)
            last[subject] = new.value
    return generated


def generate_pair(rng: Rng, banned: Combinations) -> GeneratedPair:
    """A text without banned combinations."""
    drawn = facts(rng, banned)
    text = Text()
    # By subject, its last fact and the positions of the words.
    last = {fact.subject: (fact, text.append(f"{fact.text} .")) for fact in drawn}
    fact_, stated = last[rng.choice(list(last))]
    words = fact_.text.split()
    if fact_.subject in NAMES:
        question = text.append(f"where is {fact_.subject} ?")
        answer = f"{fact_.subject} is in the {fact_.value}"
        positions = [question[2], question[1], *stated[len(words) - 3 : len(words)]]
    elif fact_.value in NAMES:
        question = text.append(f"who has the {fact_.subject} ?")
        answer = f"{fact_.value} has the {fact_.subject}"
        positions = [stated[words.index(fact_.value)], *question[1:4]]
    else:
        question = text.append(f"where is the {fact_.subject} ?")
        answer = f"the {fact_.subject} is {fact_.value}"
        positions = [question[2], question[3], question[1], *stated[len(words) - 3 : len(words)]]
    return GeneratedPair(text.with_target(positions, answer), fact_.combination)


TEMPLATE = Template(generate_pair, tuple(combinations()), seed=1936)
