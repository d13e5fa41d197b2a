"""What Data and Train share: the keys and defaults of the recipe that they edit together, and the shipped datasets."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import streamlit as st

from s2s.config import Recipe, keys
from s2s.data import BUILTINS, SYNTHETIC, is_for_tests
from s2s.ui.kit.text import as_markdown

PREFIX = "set "  # of the key of each setting's widget
DEFAULT_PRESET = "small"
FEW_MINUTES = 10.0  # what a form offers first
INIT_FROM = "start from"  # the run whose weights initialize the new one, or ""
# Our tokenizers fix the ids of special tokens; whether one begins every source is a choice.
SRC_FIRST = "model.ids.src_first"
RECIPE_KEYS = tuple(
    key for key in keys(Recipe) if key == SRC_FIRST or not key.startswith("model.ids.")
)
DEFAULT_DATASET = "builtin:en-fr"
# from the SPEC of a dataset that can be trained on to its summary
SHIPPED_DATASETS: Mapping[str, str] = MappingProxyType(
    {
        f"{kind}:{name}": row.summary
        for kind, rows in (("builtin", BUILTINS), ("synthetic", SYNTHETIC))
        for name, row in rows.items()
        if not is_for_tests(f"{kind}:{name}")
    }
)


def data_choices(changes: Mapping[str, Any]) -> None:
    """Draw a caption with the task and the cleaning rules that were chosen for the dataset; nothing where none were."""
    chosen = [
        f"`{key.removeprefix('data.').removeprefix('clean.')} = {value}`"
        for key, value in changes.items()
        if key.startswith("data.")
    ]
    if chosen:
        st.caption(as_markdown(f"Chosen for the dataset: {', '.join(chosen)}."))
