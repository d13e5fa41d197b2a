import dataclasses

import pytest
from streamlit.testing.v1 import AppTest

from s2s.config import PRESETS, Recipe, UserError, flat, keys, override, settings_of
from s2s.decode import STRATEGIES, Beam
from s2s.links.share import pack, unpack
from s2s.ui.kit import forms


@pytest.mark.parametrize("name", PRESETS)
def test_every_recipe_travels_through_an_address(name: str) -> None:
    recipe = PRESETS[name].recipe
    changed = {key: value for key, value in flat(recipe).items() if value != flat(Recipe())[key]}
    packed = pack(forms.to_address(changed))
    good, lost = forms.from_address(Recipe(), dict(reversed(unpack(packed).items())))
    assert not lost
    assert override(Recipe(), good) == recipe


def test_a_text_that_looks_like_a_number_travels_as_a_text() -> None:
    changed = {"prefix": "7", "bad_words": "true", "num_beams": 3}
    good, lost = forms.from_address(Beam(), unpack(pack(forms.to_address(changed))))
    assert (good, lost) == (changed, [])


def _widgets() -> None:
    import streamlit as st

    from s2s.config import override
    from s2s.decode import Beam
    from s2s.ui.kit import forms

    config = override(Beam(), {"num_beams": st.session_state.get("beams of the run", 5)})
    forms.restart(config, "k ")
    keys = ["num_beams", "length_penalty"]
    st.session_state["changes"] = forms.changes(config, keys, "k ")
    forms.inputs(config, keys, "k ")


def test_what_nobody_changed_starts_as_the_next_run_does() -> None:
    screen = AppTest.from_function(_widgets).run()
    assert screen.session_state["changes"] == {}
    screen.number_input(key="k length_penalty").set_value(0.5).run()
    screen.session_state["beams of the run"] = 4
    screen.run()
    assert not screen.exception
    assert screen.session_state["changes"] == {"length_penalty": 0.5}
    assert screen.number_input(key="k num_beams").value == 4


def test_what_a_link_cannot_mean_is_said_and_the_rest_is_used() -> None:
    good, lost = forms.from_address(
        Beam(),
        {"num_beams": "4", "length_penalty": "x", "colour": "red", "early_stopping": "never"},
    )
    assert good == {"num_beams": 4, "early_stopping": "never"}
    assert ["length_penalty" in sentence or "colour" in sentence for sentence in lost] == [
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"model.d_model": 50}, "model.d_model"),
        ({"tokenizer.shared": False}, "model.embeddings.shared"),
        ({"model.positions.kind": "learned", "model.positions.max_length": 8}, "data.max_length"),
    ],
)
def test_a_sentence_finds_its_control(changes: dict[str, object], key: str) -> None:
    with pytest.raises(UserError) as wrong:
        override(PRESETS["small"].recipe, changes)
    assert forms.blamed_key(wrong.value, keys(Recipe)) == key


def test_a_sentence_without_a_control_has_no_place() -> None:
    assert forms.blamed_key(UserError("Training needs 3 GB."), keys(Recipe)) is None


def test_every_setting_says_what_it_does_under_a_label_for_people() -> None:
    for cls in (Recipe, *(row.config for row in STRATEGIES.values())):
        for setting in settings_of(cls).values():
            assert setting.help.endswith((".", ")"))
            assert setting.label[0].isupper()
            assert "_" not in setting.label
            assert setting.types


def test_flat_reads_what_override_writes() -> None:
    for key, value in flat(Recipe()).items():
        assert flat(override(Recipe(), {key: value}))[key] == value
    assert list(flat(Recipe())) == keys(Recipe)
    assert dataclasses.is_dataclass(Recipe)
