"""The words of the generated datasets: people, things, locations and predicates.

In a `Predicate`, `{}` stands for its object: *stole {}* -> *stole the gold ring*.
"""

from __future__ import annotations

from typing import NamedTuple


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NAMES = _words("Anna Ben Clara David Emma Felix Greta Hugo Ida Jonas Lena Max Nora Otto Paula Tom")
ROLES = tuple(
    f"the {role}"
    for role in _words("king queen teacher doctor student farmer artist soldier baker neighbor")
)
PEOPLE = (*NAMES, *ROLES)
THINGS = _words(
    "key knife ring watch lamp book letter coat hat shirt bottle cup guitar piano coin toy"
)
LOOKS = _words("red blue green black white old new small heavy gold wooden beautiful")
BUILDINGS = _words("bridge church castle school hotel hospital mill tower house shop")
STYLES = _words("old new white grey big small wooden famous")
PLACES = _words(
    "garden kitchen school shop church forest castle hotel hospital city village street"
)


class Predicate(NamedTuple):
    """A predicate with the kind of its subject and of its object."""

    text: str
    subject: str  # "building" or "person"
    object: str = ""  # "thing", "person" or nothing


def _rows(table: str) -> tuple[Predicate, ...]:
    return tuple(
        Predicate(*(cell.strip() for cell in line.split("|")))
        for line in table.strip().splitlines()
    )


EVENTS = _rows("""
burned down          | building
fell into the river  | building
caught fire          | building
broke into two parts | building
won the race         | person
left the village     | person
broke a leg          | person
fell into the lake   | person
stole {}             | person | thing
lost {}              | person | thing
found {}             | person | thing
broke {}             | person | thing
sold {}              | person | thing
saved {}             | person | person
married {}           | person | person
""")

DETAILS = _rows("""
stood near the lake  | building
was full of people   | building
was open             | building
looked very old      | building
walked to the lake   | person
drank some coffee    | person
slept in a chair     | person
sang in the garden   | person
liked {}             | person | thing
held {}              | person | thing
cleaned {}           | person | thing
looked at {}         | person | thing
carried {}           | person | thing
knew {}              | person | person
heard {}             | person | person
""")

SCENERY = (
    "it was cold",
    "it was dark",
    "it was a quiet day",
    "it rained",
    "the sun was warm",
    "the wind was cold",
    "the sky was grey",
    "snow fell",
    "rain fell into the river",
    "birds sang",
    "the trees were green",
    "the streets were empty",
    "a dog slept",
    "the children played",
    "the bells rang",
    "the moon was bright",
)

# Times, which a summary leaves out; and words for events that did not happen.
TIMES = ("yesterday", "today", "at night", "at noon", "on sunday", "at last")
NOT_REALLY = ("almost", "nearly", "never")

SPOTS = tuple(
    f"{where} the {what}"
    for where, whats in (
        ("in", "box bag car boat"),
        ("on", "table chair mat roof"),
        ("under", "bed tree bridge"),
        ("behind", "door house"),
        ("near", "lake window river"),
    )
    for what in whats.split()
)
