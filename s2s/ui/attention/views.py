"""The views of Attention, as data. Each is one module with `show(asked)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.ui.attention import alignment, heatmap, intervention, lines
from s2s.ui.attention.request import Asked


class View(NamedTuple):
    """One row: its name for people, and what draws it."""

    label: str
    show: Callable[[Asked], None]


# In this order; a slug stands in links, as `view` of `set`: a rename keeps the old one working.
VIEWS: Mapping[str, View] = MappingProxyType(
    {
        "map": View("Heatmap", heatmap.show),
        "lines": View("Lines", lines.show),
        "alignment": View("Alignment", alignment.show),
        "change": View("Change it", intervention.show),
    }
)
