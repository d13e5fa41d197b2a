"""What is said of a model before its weights are here is what they say, and models that do not open are named."""

from pathlib import Path
from typing import Any

import pytest

from s2s import hub
from s2s.config import UserError
from s2s.pretrained import FAMILIES, MODELS, MULTILINGUAL, read_shape
from s2s.pretrained.files import read_json
from s2s.sizing import count_parameters
from tests.pretrained.test_parity import CASES, save_and_read


@pytest.mark.parametrize(
    "name", [name for name in CASES if name not in ("mt5", "pegasus", "m2m100")]
)
def test_the_parameters_are_those_of_the_weights_but_for_the_outputs_bias(
    name: str, tmp_path: Path
) -> None:
    both = save_and_read(name, tmp_path)
    shape = read_shape(read_json(tmp_path, "config.json"))
    assert shape.family == both.published.family
    assert (shape.src_vocab_size, shape.tgt_vocab_size) == (
        both.published.src_vocab_size,
        both.published.tgt_vocab_size,
    )
    expected = count_parameters(shape.config, shape.src_vocab_size, shape.tgt_vocab_size)
    real = sum(tensor.numel() for key, tensor in both.published.tensors.items())
    bias = both.published.tensors.get("output.bias")
    has_own_output = "output.weight" in both.published.tensors and shape.config.output.tied
    if not has_own_output:  # which newer files do not say
        assert expected == real - (0 if bias is None else bias.numel())


T5 = {
    "model_type": "t5",
    "d_model": 8,
    "d_kv": 4,
    "d_ff": 16,
    "num_layers": 1,
    "num_heads": 2,
    "vocab_size": 30,
    "feed_forward_proj": "relu",
    "layer_norm_epsilon": 1e-6,
    "relative_attention_num_buckets": 4,
}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "decoder": (
        {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]},
        "`gpt2`.*give one of T5",
    ),
    "causal": (
        {"model_type": "llama", "architectures": ["LlamaForCausalLM"]},
        "`llama` is a decoder-only model",
    ),
    "unknown": ({"model_type": "<b>x</b>"}, "does not open; give one of T5, mT5, Marian"),
    "none": ({}, "does not open"),
    "missing": ({**T5, "vocab_size": None}, "`vocab_size` that is no number"),
    "lacking": ({key: value for key, value in T5.items() if key != "d_kv"}, "does not say `d_kv`"),
    "wrong": ({**T5, "feed_forward_proj": 3}, "wrong kind"),
    "words": ({**T5, "vocab_size": "many"}, "`vocab_size` that is no number"),
}


def test_the_first_t5_does_not_say_its_activation() -> None:
    old = {key: value for key, value in T5.items() if key != "feed_forward_proj"}
    assert read_shape(old).config == read_shape(T5).config


@pytest.mark.parametrize("case", REFUSED)
def test_a_model_that_does_not_open_is_a_sentence(case: str) -> None:
    assert read_shape(T5).family.label == "T5"
    config, said = REFUSED[case]
    with pytest.raises(UserError, match=said):
        read_shape(config)


def test_every_model_of_the_gallery_has_a_name_and_a_family_and_multilingual_ones_languages() -> (
    None
):
    assert len(MODELS) >= 12
    for name, row in MODELS.items():
        assert hub.check_model(name) == row.name
        assert row.family in FAMILIES
        assert bool(row.src_language and row.tgt_language) == (row.family in MULTILINGUAL)
