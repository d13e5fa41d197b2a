"""A visitor's own settings: what a recipe changes of its preset, what another preset keeps, and values as written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2s.config import PRESETS, Recipe, UserError, flat, override

MODEL_SIZES = (  # what a preset is chosen for
    "model.d_model",
    *(
        f"model.{stack}.{size}"
        for stack in ("encoder", "decoder")
        for size in ("n_layers", "n_heads", "d_head", "d_ff")
    ),
)


def own_settings(recipe: Recipe, preset: str, given: Iterable[str] = ()) -> dict[str, Any]:
    """The settings of a recipe that are not its preset's, and those that somebody has `given` with the same value."""
    usual = flat(PRESETS[preset].recipe)
    short = Recipe.shorthands()
    named = {key for name in given for key in short.get(name, (name,))}
    return {
        key: value for key, value in flat(recipe).items() if value != usual[key] or key in named
    }


def change_preset(recipe: Recipe, preset: str, other: str) -> dict[str, Any]:
    """The values of the preset `other`, with the visitor's own settings but for the sizes of the model.

    Where `other` does not allow the visitor's own, its values alone.
    """
    kept = {
        key: value for key, value in own_settings(recipe, preset).items() if key not in MODEL_SIZES
    }
    try:
        return flat(override(PRESETS[other].recipe, kept))
    except UserError:
        data = {key: value for key, value in kept.items() if key.startswith("data.clean.")}
        return flat(override(PRESETS[other].recipe, data))


def suitable_lr(recipe: Recipe, preset: str) -> float | None:
    """The preset's learning rate at the recipe's width; None for an unknown preset, or another optimizer.

    A model twice as wide needs half of it (Yang et al. 2022, table 3).
    """
    tuned = PRESETS[preset].recipe if preset in PRESETS else None
    if tuned is None or recipe.train.optimizer.kind != tuned.train.optimizer.kind:
        return None
    return tuned.train.lr * tuned.model.d_model / recipe.model.d_model


def short_count(number: float, units: str = "kMBT") -> str:
    """`63_082_496` -> `63 M`, `2_177_408` -> `2.2 M`; each unit a thousand times the one before."""
    power = min(len(units), len(f"{number:.0f}") // 3 - (len(f"{number:.0f}") % 3 == 0))
    if not power:
        return f"{number:.0f}"
    shown = number / 1000**power
    return f"{shown:.0f} {units[power - 1]}" if shown >= 10 else f"{shown:.1f} {units[power - 1]}"


def round_up(steps: float) -> int:
    """The number rounded up to two digits: 5,872 -> 5,900."""
    size = 10 ** max(0, len(str(int(steps))) - 2)
    return int(-(-steps // size) * size)


def round_down(steps: float) -> int:
    size = 10 ** max(0, len(str(int(steps))) - 2)
    return int(steps // size * size)


def written(value: Any) -> str:
    if value is None:
        return "automatic"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else str(value)
