"""A few sentences, of which only one reports an event.

The others describe the scene, or events that almost, nearly or never happened. The summary is the event without its
time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchmarks.make.generated.rng import Rng
from benchmarks.make.generated.templates import (
    Combination,
    Combinations,
    GeneratedPair,
    Template,
    Text,
)
from benchmarks.make.generated.vocabulary import (
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

# Sentences per text.
MIN_SENTENCES = 4
MAX_SENTENCES = 7
KINDS = {"building": BUILDINGS, "person": PEOPLE, "thing": THINGS}

# By kind, the people and things of one text: *bridge* -> *the old bridge*.
Cast = Mapping[str, Mapping[str, str]]


class Clause(NamedTuple):
    """A subject and a predicate; `combination` is the predicate with its object or, without one, its subject."""

    subject: str
    predicate: str
    combination: Combination


def combinations() -> list[Combination]:
    return [(event.text, noun) for event in EVENTS for noun in KINDS[event.object or event.subject]]


def cast(rng: Rng) -> Cast:
    return {
        "building": {noun: _described(rng, noun, STYLES) for noun in rng.some(BUILDINGS, 2)},
        "person": {person: person for person in rng.some(PEOPLE, 4)},
        "thing": {noun: _described(rng, noun, LOOKS) for noun in rng.some(THINGS, 3)},
    }


def _described(rng: Rng, noun: str, adjectives: Sequence[str]) -> str:
    return f"the {rng.choice(adjectives)} {noun}" if rng.chance(0.5) else f"the {noun}"


def clause(rng: Rng, actors: Cast, predicates: Sequence[Predicate]) -> Clause:
    """A random clause with one of these predicates."""
    predicate = rng.choice(predicates)
    subject = rng.choice(list(actors[predicate.subject]))
    name = actors[predicate.subject][subject]
    if not predicate.object:
        return Clause(name, predicate.text, (predicate.text, subject))
    object_ = rng.choice([noun for noun in actors[predicate.object] if noun != subject])
    return Clause(
        name, predicate.text.format(actors[predicate.object][object_]), (predicate.text, object_)
    )


def event(rng: Rng, actors: Cast, banned: Combinations, other: Clause | None = None) -> Clause:
    """A random event other than `other`."""
    while True:
        candidate = clause(rng, actors, EVENTS)
        if candidate.combination not in banned and candidate != other:
            return candidate


def filler(rng: Rng, actors: Cast) -> str:
    """A sentence without an event."""
    if rng.chance(0.4):
        return rng.choice(SCENERY)
    subject, predicate, _ = clause(rng, actors, DETAILS)
    return timed(rng, f"{subject} {predicate}", 0.2)


def distractor(rng: Rng, generated: Clause) -> str:
    """An event that did not happen."""
    return timed(rng, f"{generated.subject} {rng.choice(NOT_REALLY)} {generated.predicate}", 0.2)


def timed(rng: Rng, core: str, chance: float) -> str:
    """The clause, with a time at its end with this probability."""
    return f"{core} {rng.choice(TIMES)}" if rng.chance(chance) else core


def generate_pair(rng: Rng, banned: Combinations) -> GeneratedPair:
    """A text whose events, real or not, have no banned combination."""
    actors = cast(rng)
    main = event(rng, actors, banned)
    core = f"{main.subject} {main.predicate}"
    others = [distractor(rng, event(rng, actors, banned, main))] if rng.chance(0.5) else []
    size = rng.between(MIN_SENTENCES, MAX_SENTENCES) - 1
    while len(others) < size:
        other = filler(rng, actors)
        if other not in others:
            others.append(other)
    event_sentence = timed(rng, core, 0.5)
    sentences = rng.some([*others, event_sentence], size + 1)
    text = Text()
    positions = {sentence: text.append(f"{sentence} .") for sentence in sentences}[event_sentence]
    return GeneratedPair(text.with_target(positions[: len(core.split())], core), main.combination)


TEMPLATE = Template(generate_pair, tuple(combinations()), seed=1926)
