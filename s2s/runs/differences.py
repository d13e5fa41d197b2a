"""The settings in which runs differ. Knows nothing of files or screens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from s2s.config import Recipe, flat

HARDWARE_SETTINGS = ("train.device", "train.threads")  # chosen for the computer when a run starts


@dataclass(frozen=True)
class SettingRow:
    """One setting and its value in every run; None also if a run does not have the setting."""

    key: str
    values: tuple[Any, ...]

    @property
    def differs(self) -> bool:
        """Whether the runs differ in this setting; 1 equals 1.0, but not true."""
        first = self.values[0]
        return any(
            value != first or isinstance(value, bool) != isinstance(first, bool)
            for value in self.values
        )


def setting_rows(runs: Sequence[Mapping[str, Any]]) -> list[SettingRow]:
    """Every setting of any run: those that differ first, otherwise in order of first occurrence."""
    keys = dict.fromkeys(key for settings in runs for key in settings)
    found = [SettingRow(key, tuple(settings.get(key) for settings in runs)) for key in keys]
    return sorted(found, key=lambda row: not row.differs)


def varied_settings(recipes: Sequence[Recipe]) -> list[SettingRow]:
    """The settings in which these recipes differ, except HARDWARE_SETTINGS."""
    return [
        row
        for row in setting_rows([flat(recipe) for recipe in recipes])
        if row.differs and row.key not in HARDWARE_SETTINGS
    ]


def changed_settings(recipe: Recipe, base: Recipe) -> dict[str, Any]:
    """The settings of `recipe` that differ from `base`, except HARDWARE_SETTINGS.

    >>> from s2s.config import override
    >>> changed_settings(override(Recipe(), {"train.lr": 0.01, "train.threads": 3}), Recipe())
    {'train.lr': 0.01}
    """
    base_values = flat(base)
    return {
        key: value
        for key, value in flat(recipe).items()
        if value != base_values[key] and key not in HARDWARE_SETTINGS
    }
