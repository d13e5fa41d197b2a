"""The settings of a link differ from the preset that it names, whichever one the reader had chosen."""

from s2s.config import PRESETS, override
from s2s.links.share import pack, unpack
from s2s.ui.kit.recipe_state import PREFIX
from tests.screen import lost, opened

BLOCKS = {"preset": "blocks", "tokenizer.vocab_size": "500", "data.task": "reverse"}


def test_a_link_opens_with_the_preset_that_its_settings_belong_to() -> None:
    screen = opened("data", set=pack(BLOCKS))
    assert not lost(screen)
    assert unpack(screen.session_state["set"]).items() >= BLOCKS.items()
    expected = override(PRESETS["blocks"].recipe, {"tokenizer.vocab_size": 500})
    assert screen.session_state[PREFIX + "tokenizer.kind"] == expected.tokenizer.kind
    screen.switch_page("pages/build/train.py").run()
    assert not screen.exception
    assert screen.selectbox(key="preset").value == "blocks"
    assert (
        screen.session_state[PREFIX + "model.encoder.n_layers"] == expected.model.encoder.n_layers
    )
    assert screen.session_state[PREFIX + "tokenizer.vocab_size"] == 500


def test_settings_without_a_preset_are_those_of_the_default_one() -> None:
    screen = opened("data", set=pack(BLOCKS))
    screen.query_params["set"] = pack({"data.task": "reverse"})
    screen.run()
    assert not lost(screen)
    assert screen.session_state["preset"] == "small"
    assert screen.session_state[PREFIX + "data.task"] == "reverse"
    small = PRESETS["small"].recipe
    assert screen.session_state[PREFIX + "tokenizer.vocab_size"] == small.tokenizer.vocab_size


def test_a_link_with_a_dataset_alone_leaves_the_preset() -> None:
    screen = opened("data", set=pack(BLOCKS))
    screen.query_params["set"] = pack({"source": "builtin:en-es"})
    screen.run()
    assert screen.session_state["preset"] == "blocks"


def test_an_unknown_preset_is_said() -> None:
    screen = opened("data", set=pack({"preset": "huge", "data.task": "reverse"}))
    assert ["There is no preset huge" in sentence for sentence in lost(screen)] == [True]
    assert screen.session_state[PREFIX + "data.task"] == "reverse"
    assert unpack(screen.session_state["set"])["preset"] == "small"
