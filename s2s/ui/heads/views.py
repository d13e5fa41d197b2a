"""The views of Heads, as data. Each is one module with `show(request)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.ui.heads import ablation, alignment, attribution, importance, patching, roles
from s2s.ui.heads.request import HeadsRequest


class HeadsViewRow(NamedTuple):
    """A view's label, the question that it answers, and the function that draws it."""

    label: str
    question: str
    show: Callable[[HeadsRequest], None]


# A slug is stored in links, as `view` in `set`: if you rename one, keep reading the old one.
VIEWS: Mapping[str, HeadsViewRow] = MappingProxyType(
    {
        "roles": HeadsViewRow(
            "Roles",
            "What does each head do? Rules over many sentences: whether it attends to the previous token, follows the"
            " source from left to right, finds the subject of a verb.",
            roles.show,
        ),
        "importance": HeadsViewRow(
            "Importance",
            "Does a head matter? Each is switched off alone, and the loss over many sentences says how much worse the"
            " model becomes.",
            importance.show,
        ),
        "ablation": HeadsViewRow(
            "Ablation",
            "What happens without these heads? Switch any of them off and compare the translations.",
            ablation.show,
        ),
        "patching": HeadsViewRow(
            "Patching",
            "Where is the difference between two sentences? One state or head of the first run replaces its counterpart"
            " in the second, and the answer follows or not.",
            patching.show,
        ),
        "attribution": HeadsViewRow(
            "Attribution",
            "Which source words is the output due to, and does attention say the same?",
            attribution.show,
        ),
        "alignment": HeadsViewRow(
            "Alignment",
            "Does a head find which word translates which? Its links are compared with a gold alignment.",
            alignment.show,
        ),
    }
)
