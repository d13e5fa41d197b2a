"""What a run's recipe.json says of it for people: whose sentences it was trained on, what it can't do, and outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

COLUMNS = ("source", "the model", "a person")
LONGEST = 2000  # characters of a text
MOST_LIMITS = 10
MOST_ROWS = 50


class ModelCard(NamedTuple):
    """A run's attribution, limits and sample outputs (in COLUMNS); empty for most runs."""

    attribution: str = ""
    limits: tuple[str, ...] = ()
    good: tuple[tuple[str, ...], ...] = ()
    bad: tuple[tuple[str, ...], ...] = ()

    def tables(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """The tables of sample outputs by title, those with rows."""
        rows = {"Good outputs": self.good, "Bad outputs": self.bad}
        return {title: found for title, found in rows.items() if found}


def read(about: Mapping[str, Any]) -> ModelCard:
    """The card in the content of a recipe.json, without parts that are not as expected."""
    attribution = str(about.get("attribution") or "")
    content: Any = about.get("card")
    if not is_card(content):
        return ModelCard(attribution)
    good, bad = (tuple(tuple(row) for row in content.get(name, ())) for name in ("good", "bad"))
    return ModelCard(attribution, tuple(content.get("limits", ())), good, bad)


def is_card(content: Any) -> bool:
    """Whether a part of recipe.json, which somebody else may have made, is a card that pages can show."""
    if not isinstance(content, Mapping) or not set(content) <= {"limits", "good", "bad"}:
        return False
    limits = content.get("limits", [])
    rows = [content.get(name, []) for name in ("good", "bad")]
    return _are_texts(limits, MOST_LIMITS) and all(
        isinstance(table, list)
        and len(table) <= MOST_ROWS
        and all(_are_texts(row, len(COLUMNS)) and len(row) == len(COLUMNS) for row in table)
        for table in rows
    )


def _are_texts(values: Any, most: int) -> bool:
    return (
        isinstance(values, list)
        and len(values) <= most
        and all(isinstance(value, str) and len(value) <= LONGEST for value in values)
    )
