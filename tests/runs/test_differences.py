import json
import random

import pytest

from s2s.config import PRESETS, Recipe, flat, override
from s2s.runs.differences import (
    HARDWARE_SETTINGS,
    SettingRow,
    changed_settings,
    setting_rows,
    varied_settings,
)


def test_a_preset_and_what_was_changed_make_the_recipe() -> None:
    for name in list(PRESETS):
        base = PRESETS[name].recipe
        recipe = override(PRESETS["small"].recipe, {"train.lr": 0.5, "train.seed": 9})
        found = changed_settings(recipe, base)
        assert flat(override(base, found)) == flat(recipe) | {
            key: flat(base)[key] for key in HARDWARE_SETTINGS
        }
        assert changed_settings(base, base) == {}


def test_those_that_differ_stand_first_and_none_is_lost() -> None:
    keys = list(flat(Recipe()))
    for seed in range(20):
        draw = random.Random(seed)
        changed = draw.sample(
            [
                key
                for key in keys
                if key.startswith("train.") and isinstance(flat(Recipe())[key], int)
            ],
            3,
        )
        recipes = [flat(Recipe()), flat(Recipe()) | dict.fromkeys(changed, 12_345), flat(Recipe())]
        found = setting_rows(recipes)
        assert [row.key for row in found] == sorted(changed, key=keys.index) + [
            key for key in keys if key not in changed
        ]
        assert [row.differs for row in found] == [True] * 3 + [False] * (len(keys) - 3)
        assert all(row.values == tuple(recipe[row.key] for recipe in recipes) for row in found)


def test_a_setting_that_one_run_does_not_know_differs() -> None:
    assert setting_rows([{"a": 1}, {"a": 1, "b": None}, {"a": 1, "b": 2}]) == [
        SettingRow("b", (None, None, 2)),
        SettingRow("a", (1, 1, 1)),
    ]


@pytest.mark.parametrize(
    ("values", "differs"),
    [((1, 1.0), False), ((1, True), True), ((None, 0), True), (("a",), False), ((0, False), True)],
)
def test_what_counts_as_the_same(values: tuple[object, ...], differs: bool) -> None:
    assert SettingRow("x", values).differs is differs


def test_what_a_sweep_varies_is_not_what_the_computer_decides() -> None:
    recipes = [
        override(Recipe(), {"train.lr": lr, "train.threads": n})
        for n, lr in enumerate((0.1, 0.2, 0.2))
    ]
    assert varied_settings(recipes) == [SettingRow("train.lr", (0.1, 0.2, 0.2))]
    assert varied_settings(recipes[1:]) == []
    assert varied_settings([]) == []
    assert json.dumps(changed_settings(recipes[2], Recipe())) == '{"train.lr": 0.2}'
