"""Where the answers of questions come from: each row is computed from what is on the screen. One module per topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TypeVar

from s2s.lessons.answers import (
    attention,
    decoding,
    first_look,
    inside,
    own_runs,
    prefixes,
    sentence_properties,
    sizes,
    training,
    translation,
)
from s2s.lessons.verdict import Answer, Condition

Row = TypeVar("Row")


def _assembled(tables: Iterable[Mapping[str, Row]]) -> Mapping[str, Row]:
    rows: dict[str, Row] = {}
    for table in tables:
        if twice := rows.keys() & table.keys():
            raise ValueError(f"two rows are called {sorted(twice)}")
        rows |= table
    return MappingProxyType(rows)


ANSWERS: Mapping[str, Answer] = _assembled(
    (
        translation.ANSWERS,
        first_look.ANSWERS,
        inside.ANSWERS,
        decoding.ANSWERS,
        training.ANSWERS,
        attention.ANSWERS,
        sizes.ANSWERS,
    )
)
CONDITIONS: Mapping[str, Condition] = _assembled(
    (
        translation.CONDITIONS,
        inside.CONDITIONS,
        decoding.CONDITIONS,
        attention.CONDITIONS,
        prefixes.CONDITIONS,
        sentence_properties.CONDITIONS,
    )
)
RUN_CONDITIONS: Mapping[str, Condition] = _assembled(
    (own_runs.RUN_CONDITIONS, training.RUN_CONDITIONS)
)
