"""The views of Many sentences, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.ui.heads import ablation, alignment, attribution, importance, patching, roles
from s2s.ui.heads.page import HeadsPage


class HeadsViewRow(NamedTuple):
    """A view's label, and the function that draws it."""

    label: str
    show: Callable[[HeadsPage], None]


# A slug is stored in links, as `view` in `set`: if you rename one, keep reading the old one.
VIEWS: Mapping[str, HeadsViewRow] = MappingProxyType(
    {
        "roles": HeadsViewRow("Roles", roles.show_view),
        "importance": HeadsViewRow("Importance", importance.show_view),
        "ablation": HeadsViewRow("Ablation", ablation.show_view),
        "patching": HeadsViewRow("Patching", patching.show_view),
        "attribution": HeadsViewRow("Attribution", attribution.show_view),
        "alignment": HeadsViewRow("Alignment", alignment.show_view),
    }
)
