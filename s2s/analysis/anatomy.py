"""One sentence through the machine: what every part of a layer takes in and gives out. Arrays out; knows nothing of text or screens.

The model runs as it always does, and hooks keep what passes; nothing is computed here that the model computes itself, but
for the scores, which no module hands on: the tests bring them back to the weights that the model used.
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

from s2s.model import Transformer, inference
from s2s.model.attention import Attention
from s2s.model.layers import FeedForward, Residual
from s2s.model.transformer import DecoderLayer, Embed, EncoderLayer

Array = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


class Embedded(NamedTuple):
    """Ids to the first values of the residual stream, all (len, d_model)."""

    vectors: Array  # rows of the table
    scaled: Array
    placed: Array  # with positions, where those are added to the vectors
    out: Array  # normed, where the config has a norm here


class Attended(NamedTuple):
    """One attention. Queries and keys as they are compared: turned where positions are rotary."""

    unturned: Array  # the queries before that: (heads, query_len, d_head)
    queries: Array  # (heads, query_len, d_head)
    keys: Array  # (heads, key_len, d_head)
    values: Array  # (heads, key_len, d_head)
    products: Array  # queries times keys: (heads, query_len, key_len)
    scaled: Array
    bias: Array | None  # (heads, query_len, key_len), what positions add
    mask: Mask  # (query_len, key_len), True = may look
    weights: Array  # (heads, query_len, key_len)
    gathered: Array  # (heads, query_len, d_head)
    out: Array  # (query_len, d_model)

    @property
    def scores(self) -> Array:
        """What the mask is added to: (heads, query_len, key_len)."""
        return self.scaled if self.bias is None else self.scaled + self.bias

    @property
    def masked(self) -> Array:
        """What the softmax is taken of: -inf where nothing may be looked at."""
        return np.where(self.mask, self.scores, np.float32(-np.inf))

    @property
    def joined(self) -> Array:
        """The heads side by side: (query_len, heads * d_head)."""
        return self.gathered.transpose(1, 0, 2).reshape(self.gathered.shape[1], -1)


class Fed(NamedTuple):
    """One feed-forward."""

    up: Array  # x W1 + b1: (len, d_ff)
    gate: Array | None  # where there is one, it goes through the activation in place of `up`
    hidden: Array  # (len, d_ff)
    out: Array  # (len, d_model)

    @property
    def inputs(self) -> Array:
        """Of the activation: (len, d_ff)."""
        return self.up if self.gate is None else self.gate


class Joined(NamedTuple):
    """Around one sublayer, all (len, d_model)."""

    before: Array  # the stream
    read: Array  # what the sublayer was given
    added: Array  # what it gave
    to_norm: Array
    normed: Array
    after: Array  # the stream


@dataclass(frozen=True)
class Layer:
    """What happened in one layer; the encoder's has no cross-attention, and some have no feed-forward."""

    self_attention: Attended
    self_joined: Joined
    cross_attention: Attended | None
    cross_joined: Joined | None
    feed_forward: Fed | None
    fed_joined: Joined | None

    @property
    def out(self) -> Array:
        """The stream behind it."""
        return (self.fed_joined or self.cross_joined or self.self_joined).after


@dataclass(frozen=True)
class Anatomy:
    """One layer of each stack with all that stands around the layers."""

    src: Embedded
    tgt: Embedded
    encoder: Layer
    decoder: Layer
    encoded: Array  # behind the last layer of the encoder
    memory: Array  # the same after the final norm
    decoded: Array
    states: Array
    logits: Array  # (tgt_len, vocab)


class Call(NamedTuple):
    """What a module was given and what it gave, the last time."""

    inputs: tuple[Any, ...]
    output: Any


Tape = dict[nn.Module, Call]


@contextlib.contextmanager
def taped(model: Transformer, modules: Iterable[nn.Module]) -> Iterator[Tape]:
    """Keep what passes these modules while the model runs, in inference mode; the model is held meanwhile."""
    tape: Tape = {}

    def keep(module: nn.Module, inputs: tuple[Any, ...], output: Any) -> None:
        tape[module] = Call(inputs, output)

    with inference(model), contextlib.ExitStack() as hooks:
        for module in modules:
            hooks.callback(module.register_forward_hook(keep).remove)
        yield tape


def dissect(model: Transformer, src: Sequence[int], tgt: Sequence[int], layer: int) -> Anatomy:
    """Source ids up to `</s>`, target ids from the start id on; `layer` from 0, the last of a stack that has fewer."""
    encoder = model.encoder
    decoder = model.decoder
    reads = cast(EncoderLayer, encoder.layers[min(layer, len(encoder.layers) - 1)])
    writes = cast(DecoderLayer, decoder.layers[min(layer, len(decoder.layers) - 1)])
    ends = (encoder.final_norm, decoder.final_norm)
    src_ids, tgt_ids = (torch.tensor([[*ids]], device=model.device) for ids in (src, tgt))
    modules = dict.fromkeys(
        [*reads.modules(), *writes.modules(), encoder.embed, decoder.embed, *ends]
    )
    with taped(model, modules) as tape:
        logits = model(src_ids, tgt_ids)
        before, after = ([_array(of(tape[end])) for end in ends] for of in (_given, _output))
        return Anatomy(
            src=_embedded(tape, encoder.embed, src_ids),
            tgt=_embedded(tape, decoder.embed, tgt_ids),
            encoder=_layer(tape, reads),
            decoder=_layer(tape, writes),
            encoded=before[0],
            memory=after[0],
            decoded=before[1],
            states=after[1],
            logits=_array(logits),
        )


def _array(tensor: Tensor) -> Array:
    """Of the one sentence of a batch."""
    return tensor[0].float().cpu().numpy().copy()


def _given(call: Call) -> Tensor:
    given: Tensor = call.inputs[0]
    return given


def _output(call: Call) -> Tensor:
    output: Tensor = call.output
    return output


def _embedded(tape: Tape, embed: Embed, ids: Tensor) -> Embedded:
    """The parts are called one by one: both stacks may share a table, whose last call would be the decoder's."""
    scaled = embed.tokens(ids)
    placed = embed.position.add(scaled, ids.ne(embed.pad_id))
    return Embedded(
        _array(embed.tokens.weight[ids]), _array(scaled), _array(placed), _array(tape[embed].output)
    )


def _layer(tape: Tape, layer: EncoderLayer | DecoderLayer) -> Layer:
    cross = layer if isinstance(layer, DecoderLayer) else None
    fed = layer.feed_forward
    joined = layer.feed_forward_residual
    return Layer(
        _attended(tape, layer.self_attention),
        _joined(tape, layer.self_residual),
        None if cross is None else _attended(tape, cross.cross_attention),
        None if cross is None else _joined(tape, cross.cross_residual),
        None if fed is None else _fed(tape, fed),
        None if joined is None else _joined(tape, joined),
    )


def _attended(tape: Tape, attention: Attention) -> Attended:
    queries, seen, mask, *rest = tape[attention].inputs
    bias = rest[0] if rest else None
    products = queries @ seen.keys.transpose(-1, -2)  # (batch, heads, query_len, key_len)
    joined = _given(tape[attention.output])
    return Attended(
        _array(attention.split(tape[attention.query].output)),
        _array(queries),
        _array(seen.keys),
        _array(seen.values),
        _array(products),
        _array(products * attention.scale),
        None if bias is None else _array(bias),
        np.broadcast_to(mask[0, 0].cpu().numpy(), products.shape[2:]),
        _array(tape[attention.weights].output),
        _array(attention.split(joined)),
        _array(tape[attention].output),
    )


def _fed(tape: Tape, fed: FeedForward) -> Fed:
    gate = None if fed.gate is None else _array(tape[fed.gate].output)
    return Fed(
        _array(tape[fed.up].output), gate, _array(_given(tape[fed.down])), _array(tape[fed].output)
    )


def _joined(tape: Tape, residual: Residual) -> Joined:
    before = _given(tape[residual])
    added = _given(tape[residual.dropout])
    norm = tape[residual.norm]
    read = norm.output if residual.is_pre else before
    parts = (before, read, added, _given(norm), norm.output, tape[residual].output)
    return Joined(*(_array(part) for part in parts))
