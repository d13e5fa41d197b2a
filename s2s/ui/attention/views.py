"""The views of Attention, as data. Each is one module with `show(request)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.ui.attention import alignment, heatmap, intervention, lines
from s2s.ui.attention.request import AttentionRequest


class AttentionViewRow(NamedTuple):
    """A view's label, and the function that draws it."""

    label: str
    show: Callable[[AttentionRequest], None]


# A slug is stored in links, as `view` in `set`: if you rename one, keep reading the old one.
VIEWS: Mapping[str, AttentionViewRow] = MappingProxyType(
    {
        "map": AttentionViewRow("Heatmap", heatmap.show),
        "lines": AttentionViewRow("Lines", lines.show),
        "alignment": AttentionViewRow("Alignment", alignment.show),
        "change": AttentionViewRow("Intervene", intervention.show),
    }
)
