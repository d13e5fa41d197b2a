"""The views of Steps, as data. Each is one module with `show(asked)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.ui.steps import next_token, samples, teacher_forcing, tree
from s2s.ui.steps.request import Asked


class View(NamedTuple):
    """One row: its name for people, and what draws it."""

    label: str
    show: Callable[[Asked], None]


# In this order; a slug stands in links, as `view` of `set`: a rename keeps the old one working.
VIEWS: Mapping[str, View] = MappingProxyType(
    {
        "tree": View("Search tree", tree.show),
        "next": View("Next word", next_token.show),
        "reference": View("Against a reference", teacher_forcing.show),
        "samples": View("Samples", samples.show),
    }
)
