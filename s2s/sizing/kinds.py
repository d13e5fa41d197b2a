"""The kinds of components: a label, a sentence for newcomers, a source, and the settings that shape it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from s2s.config import shipped_rows


class ComponentKind(NamedTuple):
    """One kind of component, with the model settings that shape it."""

    label: str
    group: str  # one of COMPONENT_GROUPS; `feed-forward` gets the stack's name in front
    about: str
    source: str
    settings: tuple[str, ...]


# What several kinds share.
SHARED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "": (),
        "norm": ("norm.kind", "norm.place", "norm.eps", "norm.bias"),
        "attention": (
            "{stack}.n_heads",
            "{stack}.d_head",
            "attention.bias",
            "attention.output_projection",
            "attention.scaled",
            "attention.dropout",
        ),
    }
)


def _kind(_: str, shares: str = "", settings: Sequence[str] = (), **row: Any) -> ComponentKind:
    return ComponentKind(**row, settings=(*SHARED[shares], *settings))


COMPONENT_KINDS: Mapping[str, ComponentKind] = shipped_rows(__file__, "kinds.toml", _kind)
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
