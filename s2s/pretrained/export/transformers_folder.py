"""The files of a folder that `AutoModelForSeq2SeqLM` and `AutoTokenizer` load, written without that library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from s2s.config import ModelConfig
from s2s.files import write_json, write_text
from s2s.model import save_tensors
from s2s.pretrained.export import opened
from s2s.pretrained.export.forms import ACTIVATIONS, T5, T5_ACTIVATIONS, Form
from s2s.pretrained.export.opened import TrainedModel
from s2s.pretrained.export.tensors import is_tied, renamed
from s2s.pretrained.export.tokenizer_json import FILE, library_tokenizer
from s2s.tokenizers import BOS, EOS, INNER, PAD, PretrainedTokenizer


def write_files(model: TrainedModel, form: Form, folder: Path) -> None:
    """Write config.json, generation_config.json, model.safetensors, and the tokenizer's files to the folder."""
    config = _config(model, form)
    generation = _generation_config(model)
    src, tgt = model.src_tokenizer, model.tgt_tokenizer
    if isinstance(src, PretrainedTokenizer) and isinstance(tgt, PretrainedTokenizer):
        opened.write_tokenizer(src, tgt, folder)
        config = opened.config(src, config)
        generation = opened.generation_config(src, model.config.ids, generation)
    else:
        write_text(folder / FILE, library_tokenizer(src, model.config.ids).to_str())
        write_json(folder / "tokenizer_config.json", _tokenizer_config(model))
    write_json(folder / "config.json", config)
    write_json(folder / "generation_config.json", generation)
    tensors = renamed(form, model.config, model.tensors, n_positions=model.n_positions)
    save_tensors(tensors, folder / "model.safetensors", {"format": "pt"})


def _config(model: TrainedModel, form: Form) -> dict[str, Any]:
    config = model.config
    shared = {
        "architectures": [form.architecture],
        "model_type": form.model_type,
        "is_encoder_decoder": True,
        "dtype": "float32",
        "vocab_size": model.src_tokenizer.vocab_size,
        "d_model": config.d_model,
        **_special_ids(config),
        "tie_word_embeddings": is_tied(form, config),
    }
    return shared | (_t5(config) if form is T5 else _bart_like(model, form))


def _bart_like(model: TrainedModel, form: Form) -> dict[str, Any]:
    config = model.config
    dropout = config.dropout
    found = {
        "activation_function": ACTIVATIONS[config.feed_forward.activation],
        "scale_embedding": config.embeddings.scaled,
        "max_position_embeddings": model.n_positions,
        "dropout": dropout,
        "attention_dropout": dropout if config.attention.dropout else 0.0,
        "activation_dropout": dropout if config.feed_forward.dropout else 0.0,
        "encoder_layerdrop": 0.0,
        "decoder_layerdrop": 0.0,
        "forced_eos_token_id": None,
    }
    for name, stack in (("encoder", config.encoder), ("decoder", config.decoder)):
        found[f"{name}_layers"] = stack.n_layers
        found[f"{name}_attention_heads"] = stack.n_heads
        found[f"{name}_ffn_dim"] = stack.d_ff
    if form.has_two_embeddings:
        found["share_encoder_decoder_embeddings"] = config.embeddings.shared and is_tied(
            form, config
        )
        found["decoder_vocab_size"] = model.tgt_tokenizer.vocab_size
    if form.model_type == "blenderbot":
        found["encoder_no_repeat_ngram_size"] = 0
    return found


def _t5(config: ModelConfig) -> dict[str, Any]:
    return {
        "d_kv": config.d_head(config.encoder),
        "d_ff": config.encoder.d_ff,
        "num_layers": config.encoder.n_layers,
        "num_decoder_layers": config.decoder.n_layers,
        # by this name the cache of `generate` learns how many layers it holds; without it, as many as the encoder has
        "decoder_layers": config.decoder.n_layers,
        "num_heads": config.encoder.n_heads,
        "relative_attention_num_buckets": config.positions.buckets,
        "relative_attention_max_distance": config.positions.max_distance,
        "layer_norm_epsilon": config.norm.eps,
        "feed_forward_proj": T5_ACTIVATIONS[
            config.feed_forward.activation, config.feed_forward.gated
        ],
        "dropout_rate": config.dropout,
    }


def _special_ids(config: ModelConfig) -> dict[str, int]:
    ids = config.ids
    return {
        "pad_token_id": ids.pad,
        "bos_token_id": ids.start,
        "eos_token_id": ids.eos,
        "decoder_start_token_id": ids.start,
    }


def _generation_config(model: TrainedModel) -> dict[str, Any]:
    special = {**_special_ids(model.config), **opened.forced_and_suppressed(model.config.ids)}
    return {**special, "max_new_tokens": model.max_new_tokens}


def _tokenizer_config(model: TrainedModel) -> dict[str, Any]:
    """The exported tokenizer_config.json; `<unk>` is no special here: a model may generate it, and then it stands in
    the text.
    """
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": INNER[PAD],
        "bos_token": INNER[BOS],
        "eos_token": INNER[EOS],
        "split_special_tokens": True,
        "clean_up_tokenization_spaces": False,
        "padding_side": "right",
        "model_max_length": model.n_positions,
        "model_input_names": ["input_ids", "attention_mask"],
    }
