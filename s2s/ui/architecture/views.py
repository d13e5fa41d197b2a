"""The views of Architecture, as data. Each is one module with `show(request)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.ui.architecture import costs, masks, parameters, t5
from s2s.ui.architecture.request import STATE, ArchitectureRequest


class ArchitecturePanel(NamedTuple):
    """One view: its label, and what draws it."""

    label: str
    show: Callable[[ArchitectureRequest], None]


# In this order; a slug stands in links, as `view` of `set`: a rename keeps the old one working.
PANELS: Mapping[str, ArchitecturePanel] = MappingProxyType(
    {
        "parameters": ArchitecturePanel("Parameters", parameters.show),
        "costs": ArchitecturePanel("Costs", costs.show),
        "t5": ArchitecturePanel("T5", t5.show),
        "masks": ArchitecturePanel("Masks", masks.show),
    }
)


def show(request: ArchitectureRequest) -> None:
    """The buttons to choose a view, and the chosen one."""
    labels = {slug: panel.label for slug, panel in PANELS.items()}
    view = STATE.segments("view", "View", labels, label_visibility="collapsed")
    PANELS[view].show(request)
