"""The kinds of components: a label, a sentence for newcomers, a source, and the settings that shape it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import shipped


class ComponentKind(NamedTuple):
    """One row. `settings` are keys below `model`; `{stack}` stands for `encoder` or `decoder`."""

    label: str
    group: str  # one of COMPONENT_GROUPS; `feed-forward` gets the stack's name in front
    about: str
    source: str
    settings: tuple[str, ...]


def _kinds(shared: dict[str, Any], kinds: dict[str, Any]) -> dict[str, ComponentKind]:
    """The rows of kinds.toml; `shares` names settings that several have."""
    found = {}
    for key, row in kinds.items():
        settings = (*shared.get(row.pop("shares", ""), ()), *row.pop("settings", ()))
        found[key] = ComponentKind(**row, settings=settings)
    return found


COMPONENT_KINDS: Mapping[str, ComponentKind] = MappingProxyType(
    _kinds(**shipped(__file__, "kinds.toml"))
)
COMPONENT_GROUPS = (
    "embeddings",
    "encoder attention",
    "encoder feed-forward",
    "decoder attention",
    "cross-attention",
    "decoder feed-forward",
    "norms",
    "output",
)
