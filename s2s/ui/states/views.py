"""The views of States, as data. Each is one module with `show(request)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.questions.views import tabs
from s2s.ui.states import logit_lens, neighbors, state_map
from s2s.ui.states.request import StatesRequest


class StatesViewRow(NamedTuple):
    """A view's label, the function that draws it, and the stack it is about; empty where the visitor chooses."""

    label: str
    show: Callable[[StatesRequest], None]
    side: str


# A slug is stored in links, as `view` in `set`: if you rename one, keep reading the old one.
VIEWS: Mapping[str, StatesViewRow] = MappingProxyType(
    {
        "map": StatesViewRow("Map", state_map.show, ""),
        "near": StatesViewRow("Nearest neighbors", neighbors.show, "encoder"),
        "lens": StatesViewRow("Logit lens", logit_lens.show, "decoder"),
    }
)
# every tab, also that of a question
LABELS = {
    "map": VIEWS["map"].label,
    **{slug: row.label for slug, row in tabs("states").items()},
    "near": VIEWS["near"].label,
    "lens": VIEWS["lens"].label,
}
