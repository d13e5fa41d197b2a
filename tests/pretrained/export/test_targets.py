"""What can be exported, said from settings alone."""

import re
from typing import Any

import pytest

from s2s.config import PRESETS, ModelConfig, Recipe, override
from s2s.pretrained.export import Verdict, verdicts
from tests.pretrained.export.models import FORMS, POST, PRE, T5


def of_recipe(recipe: Recipe, target: str) -> Verdict:
    tokenizer = recipe.tokenizer
    return verdicts(recipe.model, tokenizer.kind, is_shared=tokenizer.shared)[target]


@pytest.mark.parametrize(
    ("preset", "form"),
    [
        ("small", "Pegasus"),
        ("transformer-tiny", "Marian"),
        ("transformer-base", "Marian"),
        ("t5-small", "T5"),
        ("t5-11b", "T5"),
    ],
)
def test_presets_have_a_form_in_transformers(preset: str, form: str) -> None:
    recipe = PRESETS[preset].recipe
    found = of_recipe(recipe, "transformers")
    assert found.form is not None
    assert (found.form.label, found.reason) == (form, "")
    assert found.label == f"Hugging Face transformers ({form})"


@pytest.mark.parametrize(
    ("base", "changes", "reason"),
    [
        (PRE, {"positions.kind": "rotary"}, "`model.positions.kind` is rotary"),
        (PRE, {"norm.kind": "rms"}, "`model.norm.kind` is rms; the Pegasus form of"),
        (PRE, {"norm.kind": "none"}, "`model.norm.kind` is none"),
        (PRE, {"norm.eps": 1e-6}, "`model.norm.eps` is 1e-06; .* needs 1e-05"),
        (PRE, {"norm.after_embeddings": True}, "needs false"),
        (PRE, {"encoder.final_norm": False}, "`model.encoder.final_norm` is false; .* needs true"),
        (POST, {"decoder.final_norm": True}, "`model.decoder.final_norm` is true; .* needs false"),
        (PRE, {"decoder.d_head": 8}, "`model.decoder.d_head` is 8; .* needs 32"),
        (PRE, {"decoder.d_ff": 0}, "`model.decoder.d_ff` is 0; .* needs 1 or more"),
        (PRE, {"attention.output_projection": False}, "needs true"),
        (PRE, {"feed_forward.gated": True}, "`model.feed_forward.gated` is true"),
        (PRE, {"positions.base": 500.0}, "`model.positions.base` is 500.0; .* needs 10000.0"),
        (PRE, {"positions.offset": 1}, "`model.positions.offset` is 1; .* needs 0"),
        (
            POST,
            {"positions.full_span": True},
            "`model.positions.full_span` is true; .* needs false",
        ),
        (PRE, {"embeddings.shared": False}, "`model.embeddings.shared` is false"),
        (FORMS["M2M100"], {"output.bias": True}, "`model.output.bias` is true; the M2M100"),
        (FORMS["M2M100"], {"positions.offset": 0}, "`model.positions.offset` is 0; .* needs 1"),
        (POST, {"positions.kind": "learned"}, "`model.norm.after_embeddings` is false; the BART"),
        (T5, {"norm.place": "post"}, "`model.norm.place` is post; the T5"),
        (T5, {"norm.kind": "layer"}, "`model.norm.kind` is layer; .* needs rms"),
        (T5, {"attention.bias": True}, "`model.attention.bias` is true"),
        (T5, {"feed_forward.bias": True}, "`model.feed_forward.bias` is true"),
        (T5, {"decoder.n_heads": 2}, "`model.decoder.n_heads` is 2; .* needs 4"),
        (T5, {"decoder.d_ff": 9}, "`model.decoder.d_ff` is 9; .* needs 48"),
        (
            T5,
            {"feed_forward.gated": True, "feed_forward.activation": "gelu"},
            "needs gelu_tanh, relu or silu",
        ),
    ],
)
def test_a_setting_without_a_form_is_named(
    base: ModelConfig, changes: dict[str, Any], reason: str
) -> None:
    found = verdicts(override(base, changes), "bpe", is_shared=True)["transformers"]
    assert not found.is_possible
    assert re.search(reason, found.reason), found.reason


def test_transformers_has_one_vocabulary() -> None:
    found = verdicts(POST, "word", is_shared=False)["transformers"]
    assert found.reason.startswith("`tokenizer.shared` is false")
    assert verdicts(POST, "byte", is_shared=False)["transformers"].is_possible


def test_tokenizers_of_other_kinds_are_refused_everywhere() -> None:
    found = verdicts(POST, "morse", is_shared=True)
    assert all(
        "only bpe, byte, char, pretrained, unigram, word can be" in each.reason
        for each in found.values()
    )


@pytest.mark.parametrize(
    "preset", [name for name in PRESETS if name not in ("first-steps", "blocks")]
)
def test_ctranslate2_takes_nearly_all_presets(preset: str) -> None:
    recipe = PRESETS[preset].recipe
    assert of_recipe(recipe, "ctranslate2").is_possible


@pytest.mark.parametrize(
    ("base", "changes", "reason"),
    [
        (
            POST,
            {"encoder.final_norm": True},
            "`model.encoder.final_norm` is true; CTranslate2 needs false after post-norm layers.",
        ),
        (POST, {"decoder.final_norm": True}, "`model.decoder.final_norm` is true"),
        (PRE, {"positions.kind": "alibi"}, "`model.positions.kind` is alibi; CTranslate2 needs"),
        (PRE, {"norm.kind": "none"}, "`model.norm.kind` is none; CTranslate2 needs layer or rms."),
        (PRE, {"encoder.d_ff": 0}, "`model.encoder.d_ff` is 0"),
        (PRE, {"attention.output_projection": False}, "needs true"),
    ],
)
def test_what_ctranslate2_lacks_is_named(
    base: ModelConfig, changes: dict[str, Any], reason: str
) -> None:
    found = verdicts(override(base, changes), "word", is_shared=False)["ctranslate2"]
    assert not found.is_possible
    assert reason in found.reason
