"""A few sentences, and the one among them that matters: where something really happened.

The others paint the scene, say how things are, or tell of what almost, nearly or never happened. The summary is the sentence
that matters without its time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from s2s.data.generated.rng import Dice
from s2s.data.generated.templates import Combination, Combinations, Kind, Text, Told
from s2s.data.generated.vocabulary import (
    BUILDINGS,
    DETAILS,
    EVENTS,
    LOOKS,
    NOT_REALLY,
    PEOPLE,
    SCENERY,
    STYLES,
    THINGS,
    TIMES,
    Predicate,
)

# sentences
FEWEST = 4
MOST = 7
KINDS = {"building": BUILDINGS, "person": PEOPLE, "thing": THINGS}

# By kind, who and what one text tells of: *bridge* -> *the old bridge*.
Cast = Mapping[str, Mapping[str, str]]


class Clause(NamedTuple):
    """Who does what; `combination` is the predicate and its object or, where it has none, its subject."""

    subject: str
    predicate: str
    combination: Combination


def combinations() -> list[Combination]:
    """All that an event may combine."""
    return [(event.text, noun) for event in EVENTS for noun in KINDS[event.object or event.subject]]


def cast(dice: Dice) -> Cast:
    return {
        "building": {noun: _described(dice, noun, STYLES) for noun in dice.some(BUILDINGS, 2)},
        "person": {person: person for person in dice.some(PEOPLE, 4)},
        "thing": {noun: _described(dice, noun, LOOKS) for noun in dice.some(THINGS, 3)},
    }


def _described(dice: Dice, noun: str, adjectives: Sequence[str]) -> str:
    return f"the {dice.choice(adjectives)} {noun}" if dice.chance(0.5) else f"the {noun}"


def clause(dice: Dice, actors: Cast, among: Sequence[Predicate]) -> Clause:
    """Some of these actors, doing one of these things."""
    said = dice.choice(among)
    subject = dice.choice(list(actors[said.subject]))
    name = actors[said.subject][subject]
    if not said.object:
        return Clause(name, said.text, (said.text, subject))
    object_ = dice.choice([noun for noun in actors[said.object] if noun != subject])
    return Clause(name, said.text.format(actors[said.object][object_]), (said.text, object_))


def event(dice: Dice, actors: Cast, banned: Combinations, other: Clause | None = None) -> Clause:
    """A clause of something that happens, other than one."""
    while True:
        found = clause(dice, actors, EVENTS)
        if found.combination not in banned and found != other:
            return found


def filler(dice: Dice, actors: Cast) -> str:
    """A sentence that never matters."""
    if dice.chance(0.4):
        return dice.choice(SCENERY)
    subject, predicate, _ = clause(dice, actors, DETAILS)
    return timed(dice, f"{subject} {predicate}", 0.2)


def lure(dice: Dice, told: Clause) -> str:
    """An event that did not happen."""
    return timed(dice, f"{told.subject} {dice.choice(NOT_REALLY)} {told.predicate}", 0.2)


def timed(dice: Dice, core: str, chance: float) -> str:
    """Perhaps with a time behind."""
    return f"{core} {dice.choice(TIMES)}" if dice.chance(chance) else core


def tell(dice: Dice, banned: Combinations) -> Told:
    """See the module; none of its events, real or not, is of a banned combination."""
    actors = cast(dice)
    main = event(dice, actors, banned)
    core = f"{main.subject} {main.predicate}"
    others = [lure(dice, event(dice, actors, banned, main))] if dice.chance(0.5) else []
    size = dice.between(FEWEST, MOST) - 1
    while len(others) < size:
        other = filler(dice, actors)
        if other not in others:
            others.append(other)
    matters = timed(dice, core, 0.5)
    sentences = dice.some([*others, matters], size + 1)
    text = Text()
    said = {sentence: text.say(f"{sentence} .") for sentence in sentences}[matters]
    return Told(text.answered(said[: len(core.split())], core), main.combination)


KIND = Kind(tell, tuple(combinations()), seed=1926)
