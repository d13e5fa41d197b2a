import re
from collections.abc import Mapping
from typing import Any

import pytest

from s2s.config import (
    PRESETS,
    Config,
    ModelConfig,
    Recipe,
    UserError,
    choose,
    fields_of,
    keys,
    nearest,
    override,
    parse_assignments,
    settings_of,
    unknown,
)


def test_every_key_can_be_set_to_its_own_value() -> None:
    recipe = Recipe()
    for key in keys(Recipe):
        value: Any = recipe
        for part in key.split("."):
            value = getattr(value, part)
        assert override(recipe, {key: value}) == recipe


def walk(config: Config) -> list[Config]:
    inner = [getattr(config, field.name) for field in fields_of(type(config))]
    return [config, *(deep for value in inner if isinstance(value, Config) for deep in walk(value))]


def test_every_setting_explains_itself_and_no_group_has_more_than_twelve_of_its_own() -> None:
    for config in walk(Recipe()):
        own = {
            field.name
            for field in fields_of(type(config))
            if not isinstance(getattr(config, field.name), Config)
        }
        # A usual recipe has no deliberate fault and one process, and its JSON says nothing of them.
        assert len(own - {"fault", "processes"}) <= 12
    for setting in settings_of(Recipe).values():
        assert re.search(r"\w", setting.help)
        assert setting.help.endswith(".")


def test_every_label_is_for_people_and_no_two_of_a_recipe_are_equal() -> None:
    labels = {key: setting.label for key, setting in settings_of(Recipe).items()}
    for key, label in labels.items():
        assert re.fullmatch(r"[A-Z][^_]+", label), key
        assert label != key.rpartition(".")[2]
    assert len(set(labels.values())) == len(labels)
    assert labels["model.encoder.n_layers"] == "Layers (encoder)"


FIXED = (
    "train.steps train.seed train.lr train.warmup_steps train.schedule "
    "train.batch_tokens train.label_smoothing train.threads tokenizer.kind "
    "tokenizer.vocab_size tokenizer.shared data.max_length model.d_model "
    "model.d_ff model.n_heads model.n_layers model.encoder.n_layers model.dropout"
).split()


def test_the_keys_of_the_contract_are_there() -> None:
    for key in FIXED:
        values = {"train.schedule": "constant", "tokenizer.kind": "char", "tokenizer.shared": False}
        value = values.get(key, 0.2 if key in ("model.dropout", "train.label_smoothing") else 8)
        assert override(Recipe(), {key: value}) != Recipe()


def test_a_short_key_changes_both_stacks_and_a_long_one_changes_one() -> None:
    both = override(Recipe(), {"model.n_layers": 5}).model
    assert (both.encoder.n_layers, both.decoder.n_layers) == (5, 5)
    one = override(Recipe(), {"model.encoder.n_layers": 5}).model
    assert (one.encoder.n_layers, one.decoder.n_layers) == (5, 2)


def test_changes_are_checked_together_not_one_by_one() -> None:
    assert override(Recipe(), {"model.d_model": 50, "model.n_heads": 5}).model.d_model == 50


def test_values_are_json_or_else_text() -> None:
    given = ["train.steps=300", "schedule=cosine", "shared=false", "vocab_size=null", "name=a=b"]
    assert parse_assignments(given) == {
        "train.steps": 300,
        "schedule": "cosine",
        "shared": False,
        "vocab_size": None,
        "name": "a=b",
    }


BAD: Mapping[str, tuple[dict[str, Any], str]] = {
    "heads": (
        {"model.d_model": 50},
        "`d_model` 50 is not divisible by `n_heads` 4; try 48 or 52, or set `d_head`.",
    ),
    "rotary": (
        {"model.d_head": 5, "model.positions.kind": "rotary"},
        "`d_head` 5 is odd and rotary positions rotate pairs of columns; try 6.",
    ),
    "sinusoids": (
        {"model.d_model": 45, "model.n_heads": 5},
        "`d_model` 45 is odd and sinusoidal positions need pairs of columns; try 46.",
    ),
    "projection": (
        {"model.attention.output_projection": False, "model.d_head": 8},
        "4 heads of 8 make 32 columns, not the 128 of `d_model`; set"
        " `attention.output_projection=true` or `d_head=32`.",
    ),
    "key": ({"train.stesp": 3}, "There is no setting `train.stesp`; the nearest are `train.steps`"),
    "tail": ({"d_model": 64}, "There is no setting `d_model`; the nearest are `model.d_model`"),
    "kind": ({"train.lr": "fast"}, "`lr` is 'fast'; give a number."),
    "flag": ({"train.steps": True}, "`steps` is True; give a whole number."),
    "fraction": ({"train.steps": 2.5}, "`steps` is 2.5; give a whole number."),
    "nan": ({"train.lr": float("nan")}, "`lr` is nan; give a number."),
    "range": (
        {"model.dropout": 1.0},
        "`dropout` 1.0 is out of range; give a number between 0.0 and 0.9.",
    ),
    "least": (
        {"train.watch.save_every": 0},
        "`save_every` 0 is out of range; give a number at least 1.",
    ),
    "choice": (
        {"model.positions.kind": "rotery"},
        "There is no choice of `kind` `rotery`; the nearest are `rotary`",
    ),
    "shared": (
        {"tokenizer.shared": False, "model.embeddings.shared": True},
        "`model.embeddings.shared` is true but `tokenizer.shared` is",
    ),
    "table": (
        {"model.positions.kind": "learned", "model.positions.max_length": 100},
        "`data.max_length` 128 is longer than the learned position table of 100; set"
        " `model.positions.max_length` to at least 128.",
    ),
    "buckets": (
        {"model.positions.kind": "relative", "model.positions.max_distance": 16},
        "`max_distance` 16 is too small for 32 buckets; give more than 16.",
    ),
    "section": (
        {"model.norm": 3},
        "There is no setting `model.norm`; the nearest are `model.norm.",
    ),
}


def test_a_mistake_is_answered_with_what_was_given_what_is_allowed_and_what_to_do() -> None:
    for case in BAD:
        changes, message = BAD[case]
        with pytest.raises(UserError, match=re.escape(message)):
            override(Recipe(), changes)


def test_a_recipe_of_another_kind_of_json_is_refused() -> None:
    for given in ({"model": 3}, {"train": []}):
        with pytest.raises(UserError, match=r"`(model|train)` is .*; give a group of settings"):
            Recipe.from_json(given)


def test_an_assignment_without_a_value_says_how_to_write_one() -> None:
    with pytest.raises(
        UserError, match=r"`--set train.steps` has no key and value; write it as key=value"
    ):
        parse_assignments(["train.steps"])


def test_the_nearest_names_are_offered() -> None:
    assert nearest("transfomer-tiny", PRESETS)[0] == "transformer-tiny"
    assert (
        str(unknown("preset", "zzz", PRESETS))
        == "There is no preset `zzz`; the nearest are `small`, `quick`, `modern-small`."
    )
    with pytest.raises(UserError, match="There is no preset `smal`; the nearest are `small`"):
        choose("preset", "smal", PRESETS)


def test_d_head_follows_unless_it_is_set() -> None:
    model = ModelConfig(d_model=64)
    assert model.d_head(model.encoder) == 16
    wide = override(Recipe(), {"model.d_head": 40}).model
    assert wide.d_head(wide.decoder) == 40
