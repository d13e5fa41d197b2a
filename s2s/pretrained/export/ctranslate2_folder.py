"""The files of a folder that `ctranslate2.Translator` loads, written with its own specification of models."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from s2s.config import ModelConfig, SpecialIds, Stack, UserError
from s2s.files import write_text
from s2s.model import sinusoids
from s2s.pretrained.export import opened
from s2s.pretrained.export.opened import TrainedModel
from s2s.pretrained.export.tensors import Tensors, embeddings
from s2s.pretrained.export.tokenizer_json import FILE, library_tokenizer
from s2s.tokenizers import PretrainedTokenizer

# Our activations by its names.
ACTIVATIONS = MappingProxyType(
    {"relu": "RELU", "gelu": "GELU", "gelu_tanh": "GELUTanh", "silu": "SWISH"}
)
Numbers = NDArray[np.float32]
Spec = Any  # a class of ctranslate2, which may not be installed


def write_files(model: TrainedModel, folder: Path) -> None:
    """Write model.bin, config.json, the vocabularies, and tokenizers for the library `tokenizers` to the folder.

    Raises UserError where ctranslate2 is not installed.
    """
    if reason := missing_package():
        raise UserError(reason)
    src, tgt = _vocabularies(model, folder)
    spec = _filled(model)
    spec.register_source_vocabulary(src)
    spec.register_target_vocabulary(tgt)
    ids = model.config.ids
    spec.config.bos_token = tgt[ids.start]
    spec.config.decoder_start_token = tgt[ids.start]
    spec.config.eos_token = tgt[ids.eos]
    spec.config.unk_token = tgt[model.tgt_tokenizer.unk_id]
    spec.config.layer_norm_epsilon = model.config.norm.eps
    spec.validate()
    spec.optimize()  # what is equal is stored once
    spec.save(str(folder))


def _vocabularies(model: TrainedModel, folder: Path) -> tuple[list[str], list[str]]:
    src, tgt = model.src_tokenizer, model.tgt_tokenizer
    if isinstance(src, PretrainedTokenizer) and isinstance(tgt, PretrainedTokenizer):
        opened.write_tokens(src, tgt, model.config.ids, folder)
        return list(src.vocabulary), list(tgt.vocabulary)
    written = []
    for side, one, ids in (("src", src, model.config.ids), ("tgt", tgt, SpecialIds())):
        library = library_tokenizer(one, ids)
        write_text(folder / f"{side}.{FILE}", library.to_str())
        by_id = {id: token for token, id in library.get_vocab().items()}
        written.append([by_id[id] for id in range(len(by_id))])
    return written[0], written[1]


def missing_package() -> str:
    """A sentence that says to install ctranslate2 first; empty where it is installed."""
    if find_spec("ctranslate2") is not None:
        return ""
    return "Writing for CTranslate2 needs its package; install it with `pip install ctranslate2`."


def _filled(model: TrainedModel) -> Spec:
    from ctranslate2.specs import transformer_spec

    config = model.config
    encoder = transformer_spec.TransformerEncoderSpec(**_settings(config, config.encoder))
    decoder = transformer_spec.TransformerDecoderSpec(**_settings(config, config.decoder))
    matrices = embeddings(model.tensors)
    encoder.embeddings[0].weight = _numbers(matrices.src)
    decoder.embeddings.weight = _numbers(matrices.tgt)
    decoder.projection.weight = _numbers(matrices.head)
    if config.output.bias:
        decoder.projection.bias = _numbers(model.tensors["output.bias"])
    if config.output.scaled:
        decoder.scale_outputs = config.d_model**-0.5
    for name, spec in (("encoder", encoder), ("decoder", decoder)):
        spec.scale_embeddings = config.embeddings.scaled
        _fill_stack(spec, model, name)
    return transformer_spec.TransformerSpec(encoder, decoder)


def _settings(config: ModelConfig, stack: Stack) -> dict[str, Any]:
    from ctranslate2.specs import common_spec

    positions = config.positions
    found = {
        "num_layers": stack.n_layers,
        "num_heads": stack.n_heads,
        "head_dim": config.d_head(stack),
        "pre_norm": config.norm.place == "pre",
        "no_final_norm": not stack.final_norm,
        "activation": getattr(common_spec.Activation, ACTIVATIONS[config.feed_forward.activation]),
        "layernorm_embedding": config.norm.after_embeddings,
        "ffn_glu": config.feed_forward.gated,
        "rms_norm": config.norm.kind == "rms",
        "relative_attention_bias": positions.kind == "relative",
    }
    if positions.kind == "rotary":
        found["rotary_dim"] = config.d_head(stack)
        found["rotary_interleave"] = positions.layout == "interleaved"
        found["rotary_base"] = positions.base
    return found


def _fill_stack(spec: Spec, model: TrainedModel, name: str) -> None:
    config, tensors = model.config, model.tensors
    if config.positions.kind not in ("relative", "rotary"):
        spec.position_encodings.encodings = _table(model, name)
    if config.norm.after_embeddings:
        _fill_norm(spec.layernorm_embedding, tensors, f"{name}.embed.norm")
    if f"{name}.final_norm.weight" in tensors:
        _fill_norm(spec.layer_norm, tensors, f"{name}.final_norm")
    for index, layer in enumerate(spec.layer):
        ours = f"{name}.layers.{index}"
        _fill_attention(layer.self_attention, config, tensors, f"{ours}.self")
        if name == "decoder":
            _fill_attention(layer.attention, config, tensors, f"{ours}.cross")
        _fill_feed_forward(layer.ffn, tensors, ours)
        if config.positions.kind == "relative":
            table = _numbers(tensors[f"{name}.embed.position.table.weight"])
            layer.self_attention.relative_attention_bias = table
            furthest = np.int32(config.positions.max_distance)
            layer.self_attention.relative_attention_max_distance = furthest


def _fill_attention(spec: Spec, config: ModelConfig, tensors: Tensors, name: str) -> None:
    from ctranslate2.converters import utils
    from ctranslate2.specs import common_spec

    parts = [common_spec.LinearSpec() for _ in range(3)]
    for part, module in zip(parts, ("query", "key", "value"), strict=True):
        _fill_linear(part, tensors, f"{name}_attention.{module}")
    first = 3 if name.endswith("self") else 1
    utils.fuse_linear(spec.linear[0], parts[:first])
    if first < len(parts):
        utils.fuse_linear(spec.linear[1], parts[first:])
    _fill_linear(spec.linear[-1], tensors, f"{name}_attention.output")
    _fill_norm(spec.layer_norm, tensors, f"{name}_residual.norm")
    if not config.attention.scaled:
        spec.queries_scale = 1.0


def _fill_feed_forward(spec: Spec, tensors: Tensors, name: str) -> None:
    up, gate = f"{name}.feed_forward.up", f"{name}.feed_forward.gate"
    if f"{gate}.weight" in tensors:
        _fill_linear(spec.linear_0, tensors, gate)
        _fill_linear(spec.linear_0_noact, tensors, up)
    else:
        _fill_linear(spec.linear_0, tensors, up)
    _fill_linear(spec.linear_1, tensors, f"{name}.feed_forward.down")
    _fill_norm(spec.layer_norm, tensors, f"{name}.feed_forward_residual.norm")


def _fill_linear(spec: Spec, tensors: Tensors, name: str) -> None:
    spec.weight = _numbers(tensors[f"{name}.weight"])
    if f"{name}.bias" in tensors:
        spec.bias = _numbers(tensors[f"{name}.bias"])


def _fill_norm(spec: Spec, tensors: Tensors, name: str) -> None:
    weight = tensors[f"{name}.weight"]
    spec.gamma = _numbers(weight)
    if hasattr(spec, "beta"):  # a LayerNorm
        spec.beta = _numbers(tensors.get(f"{name}.bias", weight.new_zeros(len(weight))))


def _table(model: TrainedModel, name: str) -> Numbers:
    positions = model.config.positions
    if positions.kind == "none":
        return np.zeros((model.n_positions, model.config.d_model), np.float32)
    if positions.kind == "learned":
        shared = model.tensors["encoder.embed.position.table.weight"]
        table = model.tensors.get(f"{name}.embed.position.table.weight", shared)
    else:
        n_rows = model.n_positions + positions.offset
        table = sinusoids(n_rows, model.config.d_model, positions)
    return _numbers(table[positions.offset :])


def _numbers(tensor: Tensor) -> Numbers:
    numbers: Numbers = tensor.detach().float().numpy().copy()
    return numbers
