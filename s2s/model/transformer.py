"""The encoder-decoder transformer (Vaswani et al. 2017, Figure 1). Ids in, logits out."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from s2s.config import ModelConfig, Stack, UserError
from s2s.model import masks
from s2s.model.attention import Attention, KeysValues
from s2s.model.dropout import Dropout
from s2s.model.layers import FeedForward, Residual, TokenEmbedding, make_norm
from s2s.model.positions import POSITIONS, Position


class Past(Protocol):
    """The keys and values of the tokens before, of one layer."""

    def extend(self, new: KeysValues) -> KeysValues:
        """Remember the new ones; return all."""


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward."""

    def __init__(self, config: ModelConfig, stack: Stack) -> None:
        super().__init__()
        self.self_attention = Attention(config, stack)
        self.self_residual = Residual(config, stack)
        self.feed_forward = FeedForward(config, stack) if stack.d_ff else None
        self.feed_forward_residual = Residual(config, stack) if stack.d_ff else None

    def forward(self, x: Tensor, mask: Tensor, position: Position, bias: Tensor | None) -> Tensor:
        """(batch, src_len, d_model) -> (batch, src_len, d_model)."""
        attention = self.self_attention
        x = self.self_residual(
            x,
            lambda y: attention(
                attention.queries(y, position), attention.keys_values(y, position), mask, bias
            ),
        )
        return (
            x
            if self.feed_forward_residual is None
            else self.feed_forward_residual(x, self.feed_forward)
        )


class DecoderLayer(nn.Module):
    """Self-attention over what is written, cross-attention over the memory, feed-forward."""

    def __init__(self, config: ModelConfig, stack: Stack) -> None:
        super().__init__()
        self.self_attention = Attention(config, stack)
        self.self_residual = Residual(config, stack)
        self.cross_attention = Attention(config, stack)
        self.cross_residual = Residual(config, stack)
        self.feed_forward = FeedForward(config, stack) if stack.d_ff else None
        self.feed_forward_residual = Residual(config, stack) if stack.d_ff else None

    def forward(self, x: Tensor, seen: Seen, memory: KeysValues) -> Tensor:
        """(batch, tgt_len, d_model) -> (batch, tgt_len, d_model); `memory` is this layer's view of the source."""
        x = self.self_residual(x, lambda y: self._look_back(y, seen))
        cross = self.cross_attention
        x = self.cross_residual(x, lambda y: cross(cross.queries(y), memory, seen.src_mask))
        return (
            x
            if self.feed_forward_residual is None
            else self.feed_forward_residual(x, self.feed_forward)
        )

    def _look_back(self, y: Tensor, seen: Seen) -> Tensor:
        attention = self.self_attention
        new = self.self_attention.keys_values(y, seen.position, seen.start)
        written = new if seen.past is None else seen.past.extend(new)
        out: Tensor = attention(
            attention.queries(y, seen.position, seen.start), written, seen.mask, seen.bias
        )
        return out


class Seen:
    """What one decoder layer needs to know of its surroundings."""

    def __init__(
        self,
        position: Position,
        *,
        mask: Tensor | None,
        src_mask: Tensor | None,
        bias: Tensor | None,
    ) -> None:
        self.position = position
        self.mask = mask
        self.src_mask = src_mask
        self.bias = bias
        self.past: Past | None = None
        self.start = 0


class Encoder(nn.Module):
    """Source ids to memory."""

    def __init__(self, config: ModelConfig, embedding: TokenEmbedding) -> None:
        super().__init__()
        stack = config.encoder
        self.embed = Embed(
            config, embedding, POSITIONS[config.positions.kind].make(config, stack, is_causal=False)
        )
        self.layers = nn.ModuleList(EncoderLayer(config, stack) for _ in range(stack.n_layers))
        self.final_norm = (
            make_norm(config.norm, config.d_model) if stack.final_norm else nn.Identity()
        )

    def forward(self, src: Tensor, src_mask: Tensor) -> Tensor:
        """(batch, src_len) ids -> memory (batch, src_len, d_model)."""
        x = self.embed(src)
        position = self.embed.position
        bias = position.bias(src.shape[1], src.shape[1], src.device)
        for layer in self.layers:
            x = layer(x, src_mask, position, bias)
        memory: Tensor = self.final_norm(x)
        return memory


class Embed(nn.Module):
    """Ids to the first values of the residual stream: token vectors, positions, a norm where wanted, dropout."""

    def __init__(self, config: ModelConfig, tokens: TokenEmbedding, position: Position) -> None:
        super().__init__()
        self.tokens = tokens
        self.position = position
        self.pad_id = config.ids.pad
        self.norm = (
            make_norm(config.norm, config.d_model)
            if config.norm.after_embeddings
            else nn.Identity()
        )
        self.dropout = Dropout(config.dropout if config.embeddings.dropout else 0.0)

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        """(batch, len) ids -> (batch, len, d_model)."""
        x = self.position.add(self.tokens(ids), ids.ne(self.pad_id), start)
        out: Tensor = self.dropout(self.norm(x))
        return out


class Decoder(nn.Module):
    """Target ids and memory to the states that predict the next tokens."""

    def __init__(self, config: ModelConfig, embedding: TokenEmbedding) -> None:
        super().__init__()
        stack = config.decoder
        self.embed = Embed(
            config, embedding, POSITIONS[config.positions.kind].make(config, stack, is_causal=True)
        )
        self.layers = nn.ModuleList(DecoderLayer(config, stack) for _ in range(stack.n_layers))
        self.final_norm = (
            make_norm(config.norm, config.d_model) if stack.final_norm else nn.Identity()
        )

    def read(self, memory: Tensor) -> list[KeysValues]:
        """Each layer's keys and values of the memory; they do not depend on the target, so once a sentence is enough."""
        return [layer.cross_attention.keys_values(memory) for layer in self.layers]  # type: ignore[union-attr, operator]

    def forward(self, tgt: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        """(batch, tgt_len) ids, (batch, src_len, d_model) memory -> (batch, tgt_len, d_model)."""
        length = tgt.shape[1]
        position = self.embed.position
        # Padding stands at the end, where the causal mask already hides it from every real token.
        mask = masks.causal(length, device=tgt.device)
        seen = Seen(
            position, mask=mask, src_mask=src_mask, bias=position.bias(length, length, tgt.device)
        )
        x = self.embed(tgt)
        for layer, layer_memory in zip(self.layers, self.read(memory), strict=True):
            x = layer(x, seen, layer_memory)
        states: Tensor = self.final_norm(x)
        return states

    def step(
        self,
        tokens: Tensor,
        pasts: list[Past],
        memories: list[KeysValues],
        src_mask: Tensor,
        start: int,
    ) -> Tensor:
        """One token a row after `start` others: (batch,) ids -> (batch, d_model)."""
        position = self.embed.position
        seen = Seen(
            position, mask=None, src_mask=src_mask, bias=position.bias(1, start + 1, tokens.device)
        )
        seen.start = start
        x = self.embed(tokens[:, None], start)  # (batch, 1, d_model)
        for layer, past, layer_memory in zip(self.layers, pasts, memories, strict=True):
            seen.past = past
            x = layer(x, seen, layer_memory)
        states: Tensor = self.final_norm(x)
        return states[:, 0]


class Projection(NamedTuple):
    """From states to logits: weight (vocab, d_model), bias (vocab,), and what the states are multiplied by before."""

    weight: Tensor
    bias: Tensor | None = None
    scale: float = 1.0


class Transformer(nn.Module):
    """`Transformer(config, src_vocab_size, tgt_vocab_size)(src, tgt)` -> logits.

    `lock` is held by whatever changes the model for a moment (hooks, eval mode, matrix-product precision), so that
    visitors can share one.
    """

    def __init__(self, config: ModelConfig, src_vocab_size: int, tgt_vocab_size: int) -> None:
        super().__init__()
        if config.embeddings.shared and src_vocab_size != tgt_vocab_size:
            raise UserError(
                f"`embeddings.shared` needs one vocabulary, but the sizes are {src_vocab_size} and {tgt_vocab_size};"
                " share the tokenizer or set `model.embeddings.shared=false`."
            )
        self.config = config
        self.lock = threading.RLock()
        self.flat: Any = None  # the model laid out for decoding, by `flat.laid_out`
        src_embedding = TokenEmbedding(src_vocab_size, config)
        tgt_embedding = (
            src_embedding if config.embeddings.shared else TokenEmbedding(tgt_vocab_size, config)
        )
        self.encoder = Encoder(config, src_embedding)
        self.decoder = Decoder(config, tgt_embedding)
        if config.positions.shared and config.positions.kind == "learned":
            self.decoder.embed.position = self.encoder.embed.position
        self.output = nn.Linear(config.d_model, tgt_vocab_size, bias=config.output.bias)
        if config.output.tied:
            self.output.weight = tgt_embedding.weight
        self.logit_scale = config.d_model**-0.5 if config.output.scaled else 1.0

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Source ids (batch, src_len), target ids (batch, tgt_len) -> logits (batch, tgt_len, vocab).

        `tgt` starts with the start id; the logits at position i score the token after `tgt[:, i]`.
        """
        return self.project(self.states(src, tgt))

    def states(self, src: Tensor, tgt: Tensor) -> Tensor:
        """What the logits are a projection of: (batch, tgt_len, d_model)."""
        src_mask = masks.padding(src, self.config.ids.pad)
        memory = self.encoder(src, src_mask)
        states: Tensor = self.decoder(tgt, memory, src_mask)
        return states

    def project(self, states: Tensor) -> Tensor:
        """(..., d_model) -> logits (..., vocab)."""
        return F.linear(
            states if self.logit_scale == 1.0 else states * self.logit_scale,
            self.output.weight,
            self.output.bias,
        )

    @property
    def projection(self) -> Projection:
        """What `project` computes with, for a loss that never holds all the logits."""
        return Projection(self.output.weight, self.output.bias, self.logit_scale)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.output.weight.device


@contextlib.contextmanager
def inference(model: Transformer) -> Iterator[None]:
    """Hold the model for decoding or analysis: no dropout, no gradients; what was set before is restored."""
    with model.lock, torch.inference_mode():
        if not model.training:  # walking through all modules takes as long as ten steps of decoding
            yield
            return
        model.eval()
        model.flat = None
        try:
            yield
        finally:
            model.train()
            model.flat = None  # what trains has other weights next time, and a fused optimiser does not count their versions
