"""What runs were asked for, side by side. Knows nothing of files or screens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from s2s.config import Recipe, flat

HARDWARE_SETTINGS = ("train.device", "train.threads")  # which a run settles when it starts


@dataclass(frozen=True)
class SettingRow:
    """One setting: its value in every run, None too where a run knows no such setting."""

    key: str
    values: tuple[Any, ...]

    @property
    def differs(self) -> bool:
        """Whether the runs do not agree; 1 and 1.0 do, 1 and true do not."""
        first = self.values[0]
        return any(
            value != first or isinstance(value, bool) != isinstance(first, bool)
            for value in self.values
        )


def setting_rows(asked: Sequence[Mapping[str, Any]]) -> list[SettingRow]:
    """Every setting of any run: those that differ first, each part in the order in which they are first met."""
    keys = dict.fromkeys(key for settings in asked for key in settings)
    found = [SettingRow(key, tuple(settings.get(key) for settings in asked)) for key in keys]
    return sorted(found, key=lambda row: not row.differs)


def varied_settings(recipes: Sequence[Recipe]) -> list[SettingRow]:
    """The settings in which these recipes differ, but for those that the machine decides."""
    return [
        row
        for row in setting_rows([flat(recipe) for recipe in recipes])
        if row.differs and row.key not in HARDWARE_SETTINGS
    ]


def changed_settings(recipe: Recipe, base: Recipe) -> dict[str, Any]:
    """What makes the one recipe of the other, but for what the machine decides.

    >>> from s2s.config import override
    >>> changed_settings(override(Recipe(), {"train.lr": 0.01, "train.threads": 3}), Recipe())
    {'train.lr': 0.01}
    """
    usual = flat(base)
    return {
        key: value
        for key, value in flat(recipe).items()
        if value != usual[key] and key not in HARDWARE_SETTINGS
    }
