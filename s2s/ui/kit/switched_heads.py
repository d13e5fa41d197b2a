"""Heads with their interventions in links: what a link says that is wrong is reported, the rest is shown."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from s2s.analysis import INTERVENTIONS, Head, switched
from s2s.config import UserError
from s2s.ui.kit import pickers
from s2s.ui.kit.text import shortened


def switched_heads(
    text: str, every: Sequence[Head], names: Collection[str] = INTERVENTIONS
) -> dict[Head, str]:
    """The interventions that a link's text names, by head, for a model with these heads. What the model does not have
    is reported and left out.
    """
    try:
        found, unknown = switched.from_text(text, every, names)
    except UserError as too_many:
        pickers.notify(f"{too_many} All heads are on.")
        return {}
    for part in unknown:
        pickers.notify(
            f"{shortened(part)} names no head or intervention of this model; it is ignored."
        )
    return found


def as_link(chosen: Mapping[Head, str], every: Sequence[Head]) -> str | None:
    """The text of a link for these interventions; None, and a notice, where it would be too long."""
    try:
        return switched.to_text(chosen, every)
    except UserError as too_many:
        pickers.notify(str(too_many))
        return None
