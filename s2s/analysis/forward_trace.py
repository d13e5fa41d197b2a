"""Every intermediate tensor of one forward pass, module by module. Arrays out; knows nothing of text or screens.

The model runs as usual and hooks record its tensors. Only the attention scores are recomputed, since no module returns
them; tests check that their softmax equals the weights that the model used.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from s2s.model import (
    NO_ORDER,
    Attention,
    DecoderLayer,
    Embed,
    EncoderLayer,
    FeedForward,
    Residual,
    Transformer,
    inference,
)

Array = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


class EmbeddingTrace(NamedTuple):
    """The tensors from token ids to the input of layer 1, each (len, d_model)."""

    vectors: Array  # rows of the embedding table
    scaled: Array
    with_positions: Array  # equal to `scaled` where positions are not added to the vectors
    out: Array  # normalized, where the config has a norm here


class AttentionTrace(NamedTuple):
    """Tensors of one attention module. Queries and keys are those compared: rotated where positions are rotary."""

    unrotated_queries: Array  # (heads, query_len, d_head)
    queries: Array  # (heads, query_len, d_head)
    keys: Array  # (heads, key_len, d_head)
    values: Array  # (heads, key_len, d_head)
    dot_products: Array  # QK^T: (heads, query_len, key_len)
    scaled: Array  # (heads, query_len, key_len)
    bias: Array | None  # (heads, query_len, key_len), from ALiBi or relative positions
    mask: Mask  # (query_len, key_len), True = may look
    weights: Array  # (heads, query_len, key_len)
    head_outputs: Array  # AV: (heads, query_len, d_head)
    out: Array  # (query_len, d_model)

    @property
    def scores(self) -> Array:
        """The scores before the mask: (heads, query_len, key_len)."""
        return self.scaled if self.bias is None else self.scaled + self.bias

    @property
    def masked_scores(self) -> Array:
        """The input of the softmax: the scores, -inf where the mask forbids looking. (heads, query_len, key_len)."""
        return np.where(self.mask, self.scores, np.float32(-np.inf))

    @property
    def concatenated(self) -> Array:
        """The outputs of all heads side by side: (query_len, heads * d_head)."""
        return self.head_outputs.transpose(1, 0, 2).reshape(self.head_outputs.shape[1], -1)


class FeedForwardTrace(NamedTuple):
    """The tensors of one feed-forward module."""

    up: Array  # x W1 + b1: (len, d_ff)
    # (len, d_ff); where there is one, the activation is applied to it, not to `up`
    gate: Array | None
    hidden: Array  # (len, d_ff)
    out: Array  # (len, d_model)

    @property
    def activation_inputs(self) -> Array:
        """What the activation function is applied to: (len, d_ff)."""
        return self.up if self.gate is None else self.gate


class ResidualTrace(NamedTuple):
    """The tensors of one sublayer with its residual connection and norm, each (len, d_model)."""

    before: Array  # the residual stream
    sublayer_input: Array
    sublayer_output: Array
    norm_input: Array
    norm_output: Array
    after: Array  # the residual stream


@dataclass(frozen=True)
class LayerTrace:
    """The tensors of one layer. An encoder layer has no cross-attention, and some layers have no feed-forward."""

    self_attention: AttentionTrace
    self_residual: ResidualTrace
    cross_attention: AttentionTrace | None
    cross_residual: ResidualTrace | None
    feed_forward: FeedForwardTrace | None
    feed_forward_residual: ResidualTrace | None

    @property
    def out(self) -> Array:
        """The residual stream after this layer: (len, d_model)."""
        return (self.feed_forward_residual or self.cross_residual or self.self_residual).after


@dataclass(frozen=True)
class ForwardTrace:
    """The tensors of one layer of each stack, and everything before and after the layers."""

    src: EmbeddingTrace
    tgt: EmbeddingTrace
    encoder: LayerTrace
    decoder: LayerTrace
    encoder_stream: Array  # (src_len, d_model) after the encoder's last layer
    memory: Array  # (src_len, d_model) the same after the final norm
    decoder_stream: Array  # (tgt_len, d_model)
    decoder_states: Array  # (tgt_len, d_model)
    logits: Array  # (tgt_len, vocab)


class Call(NamedTuple):
    """Inputs and output of a module in its last call."""

    inputs: tuple[Any, ...]
    output: Any


Calls = dict[nn.Module, Call]


@contextlib.contextmanager
def recorded_calls(model: Transformer, modules: Iterable[nn.Module]) -> Iterator[Calls]:
    """A context that records the calls of these modules, in inference mode and holding the model's lock."""
    calls: Calls = {}

    def record(module: nn.Module, inputs: tuple[Any, ...], output: Any) -> None:
        calls[module] = Call(inputs, output)

    with inference(model), contextlib.ExitStack() as hooks:
        for module in modules:
            hooks.callback(module.register_forward_hook(record).remove)
        yield calls


def trace_forward(
    model: Transformer, src: Sequence[int], tgt: Sequence[int], layer: int
) -> ForwardTrace:
    """Run source ids (ending in `</s>`) and target ids (beginning with the start id) through the model.

    `layer` counts from 0; a stack with fewer layers is traced at its last.
    """
    encoder = model.encoder
    decoder = model.decoder
    encoder_layer = cast(EncoderLayer, encoder.layers[min(layer, len(encoder.layers) - 1)])
    decoder_layer = cast(DecoderLayer, decoder.layers[min(layer, len(decoder.layers) - 1)])
    norms = (encoder.final_norm, decoder.final_norm)
    src_ids, tgt_ids = (torch.tensor([[*ids]], device=model.device) for ids in (src, tgt))
    # one module may be in both stacks: each is hooked once
    modules = dict.fromkeys(
        [*encoder_layer.modules(), *decoder_layer.modules(), encoder.embed, decoder.embed, *norms]
    )
    with recorded_calls(model, modules) as calls:
        logits = model(src_ids, tgt_ids)
        streams = [_array(_first_input(calls[norm])) for norm in norms]
        normed = [_array(_output(calls[norm])) for norm in norms]
        return ForwardTrace(
            src=_embedding(calls, encoder.embed, src_ids),
            tgt=_embedding(calls, decoder.embed, tgt_ids),
            encoder=_layer(calls, encoder_layer),
            decoder=_layer(calls, decoder_layer),
            encoder_stream=streams[0],
            memory=normed[0],
            decoder_stream=streams[1],
            decoder_states=normed[1],
            logits=_array(logits),
        )


def _array(tensor: Tensor) -> Array:
    """The only sentence of the batch as an array: (1, ...) -> (...)."""
    return tensor[0].float().cpu().numpy().copy()


def _first_input(call: Call) -> Tensor:
    first: Tensor = call.inputs[0]
    return first


def _output(call: Call) -> Tensor:
    output: Tensor = call.output
    return output


def _embedding(calls: Calls, embed: Embed, ids: Tensor) -> EmbeddingTrace:
    scaled = embed.tokens(ids)
    with_positions = embed.position.add(scaled, ids.ne(embed.pad_id))
    return EmbeddingTrace(
        vectors=_array(embed.tokens.weight[ids]),
        scaled=_array(scaled),
        with_positions=_array(with_positions),
        out=_array(calls[embed].output),
    )


def _layer(calls: Calls, layer: EncoderLayer | DecoderLayer) -> LayerTrace:
    cross = layer if isinstance(layer, DecoderLayer) else None
    feed_forward = layer.feed_forward
    residual = layer.feed_forward_residual
    return LayerTrace(
        self_attention=_attention(calls, layer.self_attention),
        self_residual=_residual(calls, layer.self_residual),
        cross_attention=None if cross is None else _attention(calls, cross.cross_attention),
        cross_residual=None if cross is None else _residual(calls, cross.cross_residual),
        feed_forward=None if feed_forward is None else _feed_forward(calls, feed_forward),
        feed_forward_residual=None if residual is None else _residual(calls, residual),
    )


def _attention(calls: Calls, attention: Attention) -> AttentionTrace:
    _, _, mask, *rest = calls[attention].inputs
    order = rest[0] if rest else NO_ORDER
    queries = attention.split(calls[attention.query].output)  # (batch, heads, query_len, d_head)
    rotated = order.rotate(queries)
    keys = order.rotate(attention.split(calls[attention.key].output))
    dot_products = rotated @ keys.transpose(-1, -2)  # (batch, heads, query_len, key_len)
    return AttentionTrace(
        unrotated_queries=_array(queries),
        queries=_array(rotated),
        keys=_array(keys),
        values=_array(attention.split(calls[attention.value].output)),
        dot_products=_array(dot_products),
        scaled=_array(dot_products * attention.scale),
        bias=None if order.bias is None else _array(order.bias),
        mask=np.broadcast_to(mask[0, 0].cpu().numpy(), dot_products.shape[2:]),
        weights=_array(calls[attention.weights].output),
        head_outputs=_array(attention.split(_first_input(calls[attention.output]))),
        out=_array(calls[attention].output),
    )


def _feed_forward(calls: Calls, module: FeedForward) -> FeedForwardTrace:
    return FeedForwardTrace(
        up=_array(calls[module.up].output),
        gate=None if module.gate is None else _array(calls[module.gate].output),
        hidden=_array(_first_input(calls[module.down])),
        out=_array(calls[module].output),
    )


def _residual(calls: Calls, residual: Residual) -> ResidualTrace:
    before = _first_input(calls[residual])
    norm = calls[residual.norm]
    return ResidualTrace(
        before=_array(before),
        sublayer_input=_array(norm.output if residual.is_pre else before),
        sublayer_output=_array(_first_input(calls[residual.dropout])),
        norm_input=_array(_first_input(norm)),
        norm_output=_array(norm.output),
        after=_array(calls[residual].output),
    )
