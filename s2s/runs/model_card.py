"""What a run's recipe.json says of it for people: whose sentences it was trained on, what it can't do, and outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

COLUMNS = ("source", "the model", "a person")


class ModelCard(NamedTuple):
    """Rows of `good` and `bad` are COLUMNS; everything is empty for most runs."""

    attribution: str = ""
    limits: tuple[str, ...] = ()
    good: tuple[tuple[str, ...], ...] = ()
    bad: tuple[tuple[str, ...], ...] = ()

    def tables(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """The rows by title, those that there are."""
        rows = {"Good outputs": self.good, "Bad outputs": self.bad}
        return {title: found for title, found in rows.items() if found}


def read(about: Mapping[str, Any]) -> ModelCard:
    """The card in the content of a recipe.json."""
    given = about.get("card") or {}
    good, bad = (
        tuple(tuple(map(str, row)) for row in given.get(name, ())) for name in ("good", "bad")
    )
    limits = tuple(map(str, given.get("limits", ())))
    return ModelCard(str(about.get("attribution") or ""), limits, good, bad)
