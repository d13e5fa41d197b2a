"""The recipe on the Train page and in its link."""

from s2s.config import PRESETS, asker
from s2s.data import files, saved_datasets
from s2s.links.share import pack, unpack
from s2s.ui.kit.recipe_state import RECIPE_KEYS
from tests.screen import help_of, lost, opened

CURVE = {"curve": "loss", "over": "step"}  # what a link to Train says of the picture


def test_a_link_fills_the_form_and_share_gives_it_back() -> None:
    changed = {"train.steps": "77", "model.dropout": "0.25", "model.norm.kind": "layer"}
    packed = pack({"source": "synthetic:copy", "preset": "modern-small", **changed})
    screen = opened("train", set=packed)
    assert not lost(screen)
    assert screen.selectbox(key="source").value == "synthetic:copy"
    assert screen.number_input(key="set train.steps").value == 77
    assert screen.number_input(key="set model.dropout").value == 0.25
    assert unpack(screen.session_state["set"]) == {**unpack(packed), **CURVE}


def test_settings_that_need_each_other_travel_together() -> None:
    changes = {"model.d_model": "130", "model.encoder.n_heads": "5", "model.decoder.n_heads": "5"}
    changes |= {"tokenizer.shared": "false", "model.embeddings.shared": "false"}
    screen = opened("train", set=pack({"source": "synthetic:copy", "preset": "small", **changes}))
    assert not lost(screen)
    assert not screen.button(key="train").disabled
    held = screen.session_state["set"]
    again = opened("train", set=held)
    assert unpack(again.session_state["set"]) == unpack(held)
    assert changes.items() <= unpack(held).items()


def test_two_datasets_of_one_name_stay_two() -> None:
    texts = [files.from_pasted(f"{word} ||| {word}") for word in ("one", "two")]
    specs = [
        f"corpus:{saved_datasets.save(text, name='pasted text', owner=asker.LOCAL)}"
        for text in texts
    ]
    for spec in specs:
        screen = opened("train", set=pack({"source": spec}))
        screen.number_input(key="set train.steps").set_value(77).run()
        assert unpack(screen.session_state["set"])["source"] == spec
        kept = opened("data", set=pack({"source": spec}))
        assert unpack(kept.session_state["set"])["source"] == spec


def test_another_preset_brings_its_own_settings_and_every_one_can_be_set() -> None:
    screen = opened("train")
    screen.segmented_control(key="train budget").set_value("steps").run()
    screen.selectbox(key="preset").set_value("char-halves").run()
    assert (
        screen.number_input(key="set train.steps").value
        == PRESETS["char-halves"].recipe.train.steps
    )
    chosen = {"source": "builtin:en-fr", "preset": "char-halves"}
    assert unpack(screen.session_state["set"]) == chosen | CURVE
    screen.session_state["all settings"] = True
    screen.run()
    assert not screen.exception
    widgets = [
        each.key
        for kind in ("number_input", "selectbox", "toggle", "text_input")
        for each in getattr(screen, kind)
    ]
    assert {f"set {key}" for key in RECIPE_KEYS} <= set(widgets)
    assert all(help_of(screen, f"set {key}") for key in RECIPE_KEYS)
