"""The views of Attention, as data. Each is one module with `show(asked)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.ui import attention_alignment, attention_change, attention_lines, attention_map
from s2s.ui.looking import Asked


class View(NamedTuple):
    """One row: its name for people, and what draws it."""

    label: str
    show: Callable[[Asked], None]


# In this order; a slug stands in links, as `view` of `set`: a rename keeps the old one working.
VIEWS: Mapping[str, View] = MappingProxyType(
    {
        "map": View("Heatmap", attention_map.show),
        "lines": View("Lines", attention_lines.show),
        "alignment": View("Alignment", attention_alignment.show),
        "change": View("Change it", attention_change.show),
    }
)
