"""The views of Architecture, as data. Each is one module with `show(asked)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.ui.architecture import costs, masks, parameters, t5
from s2s.ui.architecture.request import ArchitectureRequest


class ArchitectureView(NamedTuple):
    """One row: its label, and what draws it."""

    label: str
    show: Callable[[ArchitectureRequest], None]


# In this order; a slug stands in links, as `view` of `set`: a rename keeps the old one working.
ARCHITECTURE_VIEWS: Mapping[str, ArchitectureView] = MappingProxyType(
    {
        "parameters": ArchitectureView("Parameters", parameters.show),
        "costs": ArchitectureView("Costs", costs.show),
        "t5": ArchitectureView("T5", t5.show),
        "masks": ArchitectureView("Masks", masks.show),
    }
)
