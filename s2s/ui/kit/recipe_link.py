"""The `set` of a link to Train's form, filled with a recipe, and what such a link cannot carry."""

from __future__ import annotations

from s2s.config import PRESETS, Recipe
from s2s.library import guests
from s2s.links import share
from s2s.runs import differences
from s2s.ui.kit import cached, forms
from s2s.ui.kit.datasets import SHIPPED_DATASETS
from s2s.ui.kit.recipe_state import DEFAULT_PRESET, INIT_FROM


def recipe_set(recipe: Recipe, source: str, preset: str, init_from: str = "") -> str:
    """The `set` that fills the form; "" for a recipe that differs from its preset in too many settings for a link."""
    base = preset if preset in PRESETS else DEFAULT_PRESET
    changes = differences.changed_settings(recipe, PRESETS[base].recipe)
    packed = share.pack(
        {
            **({} if source == guests.PRIVATE else {"source": source}),
            "preset": base,
            **({INIT_FROM: init_from} if init_from else {}),
            **forms.to_address(changes),
        }
    )
    return packed if len(packed) <= share.MAX_LENGTH else ""


def not_carried(source: str, valid: object) -> list[str]:
    """A sentence for each dataset that the form cannot be filled with."""
    lost = []
    if source == guests.PRIVATE:
        lost.append("Its dataset is private, so choose one of yours.")
    elif source not in SHIPPED_DATASETS and source not in {text.spec for text in cached.datasets()}:
        lost.append(f"Its dataset `{source}` is not on Data, so choose another.")
    if valid:
        lost.append(
            f"It was validated on `{valid}`; a run from Train holds out pairs of its own dataset."
        )
    return lost
