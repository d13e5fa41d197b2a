"""Recipes with a name: model, tokenizer and training that go together, and where each comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from s2s.config.fields import override
from s2s.config.recipe import Recipe
from s2s.config.shipped import shipped


@dataclass(frozen=True)
class Preset:
    """A recipe, the vocabulary sizes for which its parameters are counted, a summary, its source, and what it suits.

    `differs` says where a preset that rebuilds a tutorial's model does something else.
    """

    recipe: Recipe
    src_vocab_size: int
    tgt_vocab_size: int
    summary: str
    source: str
    good_for: str
    differs: str = ""


def _presets() -> dict[str, Preset]:
    found: dict[str, Preset] = {}
    for name, row in shipped(__file__, "presets.toml").items():
        like = row.pop("like", None)
        base = found[like].recipe if like else Recipe()
        found[name] = Preset(override(base, row.pop("settings")), **row)
    return found


PRESETS: Mapping[str, Preset] = MappingProxyType(_presets())
