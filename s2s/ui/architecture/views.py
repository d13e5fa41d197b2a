"""The views of Architecture, as data. Each is one module with `show(asked)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.ui.architecture import costs, masks, parameters, t5
from s2s.ui.architecture.request import Asked


class View(NamedTuple):
    """One row: its name for people, and what draws it."""

    label: str
    show: Callable[[Asked], None]


# In this order; a slug stands in links, as `view` of `set`: a rename keeps the old one working.
VIEWS: Mapping[str, View] = MappingProxyType(
    {
        "parameters": View("Parameters", parameters.show),
        "costs": View("Costs", costs.show),
        "t5": View("T5", t5.show),
        "masks": View("Masks", masks.show),
    }
)
