"""Our trained tensors under the names of transformers. Knows nothing of files."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import torch
from torch import Tensor

from s2s.config import ModelConfig, Positions
from s2s.model import sinusoids
from s2s.pretrained.export.forms import T5, Form

Tensors = Mapping[str, Tensor]
LAYER = re.compile(r"(encoder|decoder)\.layers\.(\d+)\.(.+)\.(weight|bias)")
STACK_NORM = re.compile(r"(encoder|decoder)\.(final_norm|embed\.norm)\.(weight|bias)")
# Tensors whose columns, or else whose rows, are the residual stream.
READS_STREAM = re.compile(r".*\.(tokens|query|key|value|up|gate)\.weight|output\.weight")
WRITES_STREAM = re.compile(r".*(norm|attention\.output|down)\.(weight|bias)")
# Modules as all forms but T5 call them.
MODULES: Mapping[str, str] = MappingProxyType(
    {
        "self_attention.query": "self_attn.q_proj",
        "self_attention.key": "self_attn.k_proj",
        "self_attention.value": "self_attn.v_proj",
        "self_attention.output": "self_attn.out_proj",
        "self_residual.norm": "self_attn_layer_norm",
        "cross_attention.query": "encoder_attn.q_proj",
        "cross_attention.key": "encoder_attn.k_proj",
        "cross_attention.value": "encoder_attn.v_proj",
        "cross_attention.output": "encoder_attn.out_proj",
        "cross_residual.norm": "encoder_attn_layer_norm",
        "feed_forward.up": "fc1",
        "feed_forward.down": "fc2",
        "feed_forward_residual.norm": "final_layer_norm",
        "final_norm": "layer_norm",  # of a stack, as the next one
        "embed.norm": "layernorm_embedding",
    }
)
# The same in T5, where a layer is a list of two or three; `{last}` is the feed-forward's index.
T5_MODULES: Mapping[str, str] = MappingProxyType(
    {
        "self_attention.query": "0.SelfAttention.q",
        "self_attention.key": "0.SelfAttention.k",
        "self_attention.value": "0.SelfAttention.v",
        "self_attention.output": "0.SelfAttention.o",
        "self_residual.norm": "0.layer_norm",
        "cross_attention.query": "1.EncDecAttention.q",
        "cross_attention.key": "1.EncDecAttention.k",
        "cross_attention.value": "1.EncDecAttention.v",
        "cross_attention.output": "1.EncDecAttention.o",
        "cross_residual.norm": "1.layer_norm",
        "feed_forward.up": "{last}.DenseReluDense.{up}",
        "feed_forward.gate": "{last}.DenseReluDense.wi_0",
        "feed_forward.down": "{last}.DenseReluDense.wo",
        "feed_forward_residual.norm": "{last}.layer_norm",
    }
)


class Embeddings(NamedTuple):
    """Source, target and output matrix, each (vocab, d_model); the same object where they are one."""

    src: Tensor
    tgt: Tensor
    head: Tensor


def embeddings(tensors: Tensors) -> Embeddings:
    """The embedding matrices among a model's tensors."""
    src = tensors["encoder.embed.tokens.weight"]
    tgt = tensors.get("decoder.embed.tokens.weight", src)
    return Embeddings(src, tgt, tensors.get("output.weight", tgt))


def is_tied(form: Form, config: ModelConfig) -> bool:
    """Whether the exported form takes its output matrix from the embeddings instead of storing it."""
    output = config.output
    if form is T5:  # which scales by d_model ** -0.5 just where the matrix is tied
        return output.tied and output.scaled and not config.embeddings.scaled
    return output.tied and not output.scaled


def renamed(
    form: Form, config: ModelConfig, tensors: Tensors, *, n_positions: int
) -> dict[str, Tensor]:
    """All tensors under the names that the target's class loads: none is missing and none left over.

    `n_positions`: the rows of a table of sinusoids, where the form loads one.
    """
    ours = _in_halves(config, tensors)
    ours = _with_query_scale(config, ours, is_scaled=form is not T5)
    found = _t5(config, ours) if form is T5 else _bart_like(form, config, ours)
    if form.stores_sinusoids:
        table = sinusoids(n_positions, config.d_model, Positions())
        found["model.encoder.embed_positions.weight"] = table
        found["model.decoder.embed_positions.weight"] = table
    return {name: tensor.float().contiguous().clone() for name, tensor in found.items()}


def _bart_like(form: Form, config: ModelConfig, tensors: Tensors) -> dict[str, Tensor]:
    found = {}
    for name, tensor in tensors.items():
        if match := LAYER.fullmatch(name):
            stack, index, module, kind = match.groups()
            found[f"model.{stack}.layers.{index}.{MODULES[module]}.{kind}"] = tensor
        elif match := STACK_NORM.fullmatch(name):
            stack, module, kind = match.groups()
            found[f"model.{stack}.{MODULES[module]}.{kind}"] = tensor
    for name, tensor in list(found.items()):  # a bias of zeros where ours has none
        bias = f"{name.removesuffix('.weight').removesuffix('.bias')}.bias"
        found.setdefault(bias, tensor.new_zeros(len(tensor)))
    if form.positions == "learned":
        for stack in ("encoder", "decoder"):
            found[f"model.{stack}.embed_positions.weight"] = _table(form, config, tensors, stack)
    if form.has_output_bias:
        head = embeddings(tensors).head
        logits_bias = tensors.get("output.bias", head.new_zeros(len(head)))
        found["final_logits_bias"] = logits_bias[None]  # (1, vocab)
    return found | _bart_like_embeddings(form, config, tensors)


def _bart_like_embeddings(form: Form, config: ModelConfig, tensors: Tensors) -> dict[str, Tensor]:
    src, tgt, head = embeddings(tensors)
    if config.output.scaled:
        head = head * config.d_model**-0.5
    tied = is_tied(form, config)
    if tied and config.embeddings.shared:
        return {"model.shared.weight": src}
    found = {"model.encoder.embed_tokens.weight": src, "model.decoder.embed_tokens.weight": tgt}
    if not form.has_two_embeddings:
        found["model.shared.weight"] = src
    return found if tied else {**found, "lm_head.weight": head}


def _table(form: Form, config: ModelConfig, tensors: Tensors, stack: str) -> Tensor:
    shared = tensors["encoder.embed.position.table.weight"]
    table = tensors.get(f"{stack}.embed.position.table.weight", shared)
    if config.positions.offset == form.unused_rows:
        return table
    rows = table[config.positions.offset :]  # (max_length, d_model)
    unused = rows.new_zeros(form.unused_rows, rows.shape[1])
    return torch.cat([unused, rows])


def _t5(config: ModelConfig, tensors: Tensors) -> dict[str, Tensor]:
    up = "wi_1" if config.feed_forward.gated else "wi"
    found = {}
    for name, tensor in tensors.items():
        if match := LAYER.fullmatch(name):
            stack, index, module, kind = match.groups()
            last = 1 if stack == "encoder" else 2
            theirs = T5_MODULES[module].format(last=last, up=up)
            found[f"{stack}.block.{index}.layer.{theirs}.{kind}"] = tensor
    for stack in ("encoder", "decoder"):
        table = tensors[f"{stack}.embed.position.table.weight"]
        attention = f"{stack}.block.0.layer.0.SelfAttention"
        found[f"{attention}.relative_attention_bias.weight"] = table
        found[f"{stack}.final_layer_norm.weight"] = tensors[f"{stack}.final_norm.weight"]
    src, _, head = embeddings(tensors)
    scale = math.sqrt(config.d_model)
    found["shared.weight"] = src * scale if config.embeddings.scaled else src
    if not is_tied(T5, config):
        found["lm_head.weight"] = head / scale if config.output.scaled else head
    return found


def _in_halves(config: ModelConfig, tensors: Tensors) -> Tensors:
    positions = config.positions
    if positions.kind != "sinusoidal" or positions.layout == "halves":
        return tensors
    columns = torch.arange(config.d_model)
    order = torch.cat([columns[0::2], columns[1::2]])
    return {name: _reordered(name, tensor, order) for name, tensor in tensors.items()}


def _reordered(name: str, tensor: Tensor, order: Tensor) -> Tensor:
    if READS_STREAM.fullmatch(name):
        return tensor[:, order]
    return tensor[order] if WRITES_STREAM.fullmatch(name) else tensor


def _with_query_scale(config: ModelConfig, tensors: Tensors, *, is_scaled: bool) -> Tensors:
    if config.attention.scaled == is_scaled:
        return tensors
    found = dict(tensors)
    for name in [name for name in tensors if ".query." in name]:
        stack = config.encoder if name.startswith("encoder") else config.decoder
        scale = math.sqrt(config.d_head(stack))
        found[name] = tensors[name] * scale if is_scaled else tensors[name] / scale
    return found
