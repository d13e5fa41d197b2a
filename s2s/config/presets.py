"""Recipes with a name: model, tokenizer and training that go together, and where each comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from s2s.config.fields import override
from s2s.config.recipe import Recipe
from s2s.config.shipped import shipped_rows


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


def _preset(_: str, settings: Mapping[str, Any], like: str = "", **row: Any) -> Preset:
    return Preset(override(PRESETS[like].recipe if like else Recipe(), settings), **row)


PRESETS: Mapping[str, Preset] = shipped_rows(__file__, "presets.toml", _preset)
