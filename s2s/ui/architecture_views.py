"""The views of Architecture, as data. Each is one module with `show(asked)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.ui import architecture_costs, architecture_masks, architecture_parameters, architecture_t5
from s2s.ui.architecture import Asked


class View(NamedTuple):
    """One row: its name for people, and what draws it."""

    label: str
    show: Callable[[Asked], None]


# In this order; a slug stands in links, as `view` of `set`: a rename keeps the old one working.
VIEWS: Mapping[str, View] = MappingProxyType(
    {
        "parameters": View("Parameters", architecture_parameters.show),
        "costs": View("Costs", architecture_costs.show),
        "t5": View("T5", architecture_t5.show),
        "masks": View("Masks", architecture_masks.show),
    }
)
