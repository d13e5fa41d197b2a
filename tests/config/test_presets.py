"""The presets that rebuild a tutorial's model, against the figures of that tutorial."""

import pytest

from s2s.config import PRESETS, flat, override

TUTORIALS = {
    "first-steps": {
        "model.d_model": 2,
        "model.encoder.d_ff": 0,
        "model.norm.kind": "none",
        "model.dropout": 0.0,
        "model.embeddings.scaled": False,
        "model.init.kind": "torch",
        "train.lr": 0.1,
    },
    "blocks": {
        "tokenizer.shared": False,
        "model.embeddings.scaled": False,
        "model.init.kind": "torch",
        "model.norm.place": "post",
        "model.feed_forward.activation": "gelu",
    },
    "mini-t5": {
        "tokenizer.shared": False,
        "model.dropout": 0.0,
        "model.ids.src_first": 1,
        "model.init.kind": "normal",
        "train.optimizer.clip_norm": 0.0,
    },
    "vaswani-512": {
        "tokenizer.shared": False,
        "model.embeddings.scaled": False,
        "model.attention.dropout": True,
        "model.feed_forward.dropout": True,
        "model.d_model": 512,
    },
    "char-halves": {
        "tokenizer.kind": "char",
        "model.dropout": 0.2,
        "model.embeddings.dropout": False,
        "model.init.kind": "torch",
        "train.optimizer.clip_norm": 0.0,
        "train.lr": 3e-4,
    },
}


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorials_recipe_is_rebuilt_and_every_deviation_named(name: str) -> None:
    row = PRESETS[name]
    found = flat(row.recipe)
    assert {key: found[key] for key in TUTORIALS[name]} == TUTORIALS[name]
    assert row.source.startswith("a tutorial's model of ")
    assert row.differs.endswith(".")


def test_a_preset_says_what_it_is_and_where_it_comes_from() -> None:
    for name, row in PRESETS.items():
        assert row.summary.endswith("."), name
        assert row.source, name


def test_the_settings_that_a_deviation_names_are_settings() -> None:
    alone = {"train.batch_tokens": 4, "train.steps": 120}
    assert all(f"`{key}={value}`" in PRESETS["first-steps"].differs for key, value in alone.items())
    assert override(PRESETS["first-steps"].recipe, alone)
