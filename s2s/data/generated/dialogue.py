"""A few facts and a question, whose answer the last fact about the thing or person gives: things change hands, people go about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from s2s.data.generated.rng import Dice
from s2s.data.generated.templates import Combination, Combinations, Kind, Text, Told
from s2s.data.generated.vocabulary import NAMES, PLACES, SPOTS, THINGS

# facts
FEWEST = 3
MOST = 6
# Of someone who gets a thing that nobody has, of one who gets a held one, of a thing that comes to lie somewhere.
GETS = ("{holder} has the {thing}", "{holder} took the {thing}", "{holder} found the {thing}")
PASSES = (
    "{giver} gave the {thing} to {holder}",
    "{holder} took the {thing}",
    "{holder} has the {thing} now",
)
LIES = "the {thing} is {spot}"
PUTS = "{giver} put the {thing} {spot}"
GOES = ("{name} went to the {place}", "{name} is in the {place}", "{name} walked to the {place}")


class Fact(NamedTuple):
    """What is said of a thing or person, and what it is combined with: a holder, a spot, a place."""

    text: str
    subject: str
    value: str

    @property
    def combination(self) -> Combination:
        return self.subject, self.value


def combinations() -> list[Combination]:
    """Things with who has them and where they are, people with where they are."""
    return [
        *((thing, value) for thing in THINGS for value in (*NAMES, *SPOTS)),
        *((name, place) for name in NAMES for place in PLACES),
    ]


def fact(dice: Dice, subject: str, people: Sequence[str], last: str) -> Fact:
    """The next fact about a thing or person, of whom or which `last` was true."""
    if subject in NAMES:
        place = dice.choice([place for place in PLACES if place != last])
        return Fact(dice.choice(GOES).format(name=subject, place=place), subject, place)
    giver = last if last in NAMES else ""
    if dice.chance(0.5):
        holder = dice.choice([name for name in people if name != last])
        text = dice.choice(PASSES if giver else GETS).format(
            giver=giver, holder=holder, thing=subject
        )
        return Fact(text, subject, holder)
    spot = dice.choice([spot for spot in SPOTS if spot != last])
    text = PUTS if giver else LIES
    return Fact(text.format(giver=giver, thing=subject, spot=spot), subject, spot)


def facts(dice: Dice, banned: Combinations) -> list[Fact]:
    """Of two or three things and people: one of each, then by lot."""
    people = dice.some(NAMES, 4)
    subjects = dice.some([*dice.some(THINGS, 2), *people[:2]], dice.between(2, 3))
    told: list[Fact] = []
    last: dict[str, str] = {}
    size = dice.between(FEWEST, MOST)
    while len(told) < size:
        subject = subjects[len(told)] if len(told) < len(subjects) else dice.choice(subjects)
        new = fact(dice, subject, people, last.get(subject, ""))
        if new.combination not in banned:
            told.append(new)
            last[subject] = new.value
    return told


def tell(dice: Dice, banned: Combinations) -> Told:
    """See the module; no fact is of a banned combination."""
    told = facts(dice, banned)
    text = Text()
    where = {fact.subject: (fact, text.say(f"{fact.text} .")) for fact in told}  # the last of each
    asked, said = where[dice.choice(list(where))]
    words = asked.text.split()
    if asked.subject in NAMES:
        question = text.say(f"where is {asked.subject} ?")
        answer = f"{asked.subject} is in the {asked.value}"
        places = [question[2], question[1], *said[len(words) - 3 : len(words)]]
    elif asked.value in NAMES:
        question = text.say(f"who has the {asked.subject} ?")
        answer = f"{asked.value} has the {asked.subject}"
        places = [said[words.index(asked.value)], *question[1:4]]
    else:
        question = text.say(f"where is the {asked.subject} ?")
        answer = f"the {asked.subject} is {asked.value}"
        places = [question[2], question[3], question[1], *said[len(words) - 3 : len(words)]]
    return Told(text.answered(places, answer), asked.combination)


KIND = Kind(tell, tuple(combinations()), seed=1936)
