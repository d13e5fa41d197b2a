"""The views of States, as data. Each is one module with `show(asked)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.ui.states import lens, map, neighbors, two_sentences
from s2s.ui.states.request import Asked


class View(NamedTuple):
    """One row: its name for people, what draws it, and the stack it looks at; empty where one may choose."""

    label: str
    show: Callable[[Asked], None]
    side: str


# In this order; a slug stands in links, as `view` of `set`: a rename keeps the old one working.
VIEWS: Mapping[str, View] = MappingProxyType(
    {
        "map": View("Map", map.show, ""),
        "same": View("Same word", two_sentences.show, "encoder"),
        "near": View("Neighbours", neighbors.show, "encoder"),
        "lens": View("Logit lens", lens.show, "decoder"),
    }
)
