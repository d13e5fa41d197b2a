"""The families that can be opened, by the `model_type` of their config.json, and well-known models of them.

One more family is a row, and a module for what it shares with no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from s2s.config import UserError, shipped_rows, shortened
from s2s.pretrained import bart_like, t5
from s2s.pretrained.family import Family, Json

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "t5": t5.FAMILY,
        "mt5": replace(t5.FAMILY, label="mT5"),  # T5 v1.1 for 101 languages
        "marian": bart_like.MARIAN,
        "bart": bart_like.BART,
        "mbart": bart_like.MBART,
        "pegasus": bart_like.PEGASUS,
        "m2m_100": bart_like.M2M100,
    }
)


class KnownModel(NamedTuple):
    """A published model that opens here; `parameters` in millions, and two languages if it is multilingual."""

    name: str
    parameters: float
    family: str  # a key of FAMILIES
    languages: str
    license: str
    summary: str
    example: str  # a source
    src_language: str = ""
    tgt_language: str = ""


MODELS: Mapping[str, KnownModel] = shipped_rows(__file__, "models.toml", KnownModel)


def family_of(config: Json) -> Family:
    """The family of a config.json. Raises UserError for an unsupported one, with the list of those that open."""
    kind = config.get("model_type")
    if isinstance(kind, str) and kind in FAMILIES:
        return FAMILIES[kind]
    known = ", ".join(family.label for family in FAMILIES.values())
    architectures = config.get("architectures")
    names = architectures if isinstance(architectures, list) else []
    if any(str(name).endswith("ForCausalLM") for name in names):
        raise UserError(
            f"`{shortened(kind)}` is a decoder-only model, and s2s opens encoder-decoders; give one of {known}."
        )
    raise UserError(
        f"config.json has the `model_type` `{shortened(kind)}`, which s2s does not open; give one of {known}."
    )
