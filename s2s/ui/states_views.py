"""The views of States, as data. Each is one module with `show(asked)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.ui import states_lens, states_map, states_near, states_same
from s2s.ui.states_page import Asked


class View(NamedTuple):
    """One row: its name for people, what draws it, and the stack it looks at; empty where one may choose."""

    label: str
    show: Callable[[Asked], None]
    side: str


# In this order; a slug stands in links, as `view` of `set`: a rename keeps the old one working.
VIEWS: Mapping[str, View] = MappingProxyType(
    {
        "map": View("Map", states_map.show, ""),
        "same": View("Same word", states_same.show, "encoder"),
        "near": View("Neighbours", states_near.show, "encoder"),
        "lens": View("Logit lens", states_lens.show, "decoder"),
    }
)
