"""The `set` of a link to Train's form, filled with a recipe, and what such a link cannot carry."""

from __future__ import annotations

from collections.abc import Mapping

from s2s.config import PRESETS, Recipe
from s2s.library import guests
from s2s.links import share
from s2s.runs import differences
from s2s.ui.kit import cached, forms
from s2s.ui.kit.recipe_state import DEFAULT_PRESET, INIT_FROM, SHIPPED_DATASETS


def recipe_set(recipe: Recipe, source: str, preset: str, init_from: str = "") -> str:
    """The `set` of a link that fills Train's form; "" for a recipe that differs from its preset in too many
    settings.
    """
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
    """A sentence for each dataset that Train's form cannot be filled with."""
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


def recipe_of_run(run_id: str) -> tuple[str, list[str]]:
    """The `set` of a link to Train that repeats a run, and a sentence for each thing that it cannot carry."""
    recipe = cached.recipe(run_id)
    about = cached.metadata(run_id)
    row = cached.runs().get(run_id)
    if recipe is None:
        return "", ["Its recipe cannot be read, so it cannot be duplicated."]
    if about.get("imported"):
        return "", [
            "It was imported, not trained, so there are no settings of training to duplicate."
        ]
    source = str(about.get("source") or (row.source if row else ""))
    preset = str(about.get("preset") or (row.preset if row else ""))
    init_from = about.get("init_from")
    origin = (
        str(init_from.get("run"))
        if isinstance(init_from, Mapping) and init_from.get("run") in cached.trained_runs()
        else ""
    )
    packed = recipe_set(recipe, source, preset, origin)
    if not packed:
        return "", [
            "It differs from its preset in too many settings for a link; download its recipe,"
            " or repeat it with its command."
        ]
    lost = not_carried(source, about.get("valid"))
    if init_from is not None and not origin:
        lost.append(
            "The run that it was initialized from is gone; the copy starts from random weights."
        )
    return packed, lost
