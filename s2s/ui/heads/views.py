"""The views of Heads, as data. Each is one module with `show(request)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.ui.heads import ablation, alignment, attribution, importance, patching, roles
from s2s.ui.heads.request import HeadsRequest


class HeadsViewRow(NamedTuple):
    """A view's label, and the function that draws it."""

    label: str
    show: Callable[[HeadsRequest], None]


# A slug is stored in links, as `view` in `set`: if you rename one, keep reading the old one.
VIEWS: Mapping[str, HeadsViewRow] = MappingProxyType(
    {
        "roles": HeadsViewRow("Roles", roles.show),
        "importance": HeadsViewRow("Importance", importance.show),
        "ablation": HeadsViewRow("Ablation", ablation.show),
        "patching": HeadsViewRow("Patching", patching.show),
        "attribution": HeadsViewRow("Attribution", attribution.show),
        "alignment": HeadsViewRow("Alignment", alignment.show),
    }
)
