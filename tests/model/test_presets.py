import pytest

from s2s.config import PRESETS, ModelConfig, Output, Positions, Recipe, UserError
from s2s.sizing import check_memory, count_parameters, training_bytes

COUNTS = {
    "first-steps": 78,
    "blocks": 2_803_728,
    "mini-t5": 550_528,
    "vaswani-512": 59_508_496,
    "char-halves": 3_734_044,
    "t5-small": 60_506_624,
    "t5-base": 222_903_552,
    "t5-large": 737_668_096,
    "t5-3b": 2_851_598_336,
    "t5-11b": 11_307_321_344,
}


def count(name: str) -> int:
    preset = PRESETS[name]
    return count_parameters(preset.recipe.model, preset.src_vocab_size, preset.tgt_vocab_size)


def test_a_preset_has_the_published_number_of_parameters() -> None:
    for name, n in COUNTS.items():
        assert count(name) == n


def test_mini_t5_with_the_vocabularies_of_its_five_phrases() -> None:
    assert count_parameters(PRESETS["mini-t5"].recipe.model, 12, 9) == 360_448


def test_small_is_about_a_million_and_exports_cleanly() -> None:
    model = PRESETS["small"].recipe.model
    assert 900_000 < count_parameters(model, 1200, 1200) < 1_300_000
    assert (
        model.norm.place,
        model.positions.layout,
        model.encoder.final_norm,
        model.decoder.final_norm,
    ) == ("pre", "halves", True, True)


def test_a_preset_survives_json() -> None:
    for name in PRESETS:
        recipe = PRESETS[name].recipe
        assert Recipe.from_json(recipe.to_json()) == recipe


def test_a_preset_says_what_it_is_and_where_it_comes_from() -> None:
    for name in PRESETS:
        assert PRESETS[name].summary.endswith(".")
        assert PRESETS[name].source


def test_a_recipe_larger_than_memory_is_refused_in_one_sentence() -> None:
    preset = PRESETS["t5-11b"]
    with pytest.raises(
        UserError,
        match=r"11,307,321,344 parameters .* needs about \d+\.\d GB of memory and 16.0 GB are free",
    ):
        check_memory(preset.recipe, (32_128, 32_128), batch_tokens=2048, free=16_000_000_000)
    check_memory(PRESETS["small"].recipe, (4000, 4000), batch_tokens=2048, free=16_000_000_000)


def test_the_memory_forecast_grows_with_the_batch() -> None:
    recipe = PRESETS["small"].recipe
    assert training_bytes(recipe, (1000, 1000), batch_tokens=8192) > 2 * training_bytes(
        recipe, (1000, 1000), batch_tokens=2048
    )


def test_tied_output_costs_nothing_and_relative_tables_are_one_a_stack() -> None:
    tied = count_parameters(ModelConfig(), 50, 50)
    untied = count_parameters(ModelConfig(output=Output(tied=False)), 50, 50)
    assert untied - tied == 50 * 128
    relative = count_parameters(ModelConfig(positions=Positions("relative")), 50, 50)
    assert relative - tied == 2 * 32 * 4
