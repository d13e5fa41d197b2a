"""The views of Steps, as data. Each is one module with `show(request)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.ui.steps import next_token, samples, teacher_forcing, tree
from s2s.ui.steps.request import StepsRequest


class StepsViewRow(NamedTuple):
    """A view's label, and the function that draws it."""

    label: str
    show: Callable[[StepsRequest], None]


# A slug is stored in links, as `view` in `set`: if you rename one, keep reading the old one.
VIEWS: Mapping[str, StepsViewRow] = MappingProxyType(
    {
        "tree": StepsViewRow("Search tree", tree.show),
        "next": StepsViewRow("Next token", next_token.show),
        "reference": StepsViewRow("Against a reference", teacher_forcing.show),
        "samples": StepsViewRow("Samples", samples.show),
    }
)
