"""The encoder-decoder transformer (Vaswani et al. 2017, Figure 1). Ids in, logits out."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from s2s.config import ModelConfig, Stack, UserError
from s2s.model import masks
from s2s.model.attention import Attention
from s2s.model.dropout import Dropout
from s2s.model.layers import FeedForward, Residual, TokenEmbedding, make_norm
from s2s.model.positions import Order, Position, make_position


class Transformer(nn.Module):
    """`Transformer(config, src_vocab_size, tgt_vocab_size)(src, tgt)` -> logits.

    `lock` is held by whatever changes the model for a moment (hooks, eval mode, matrix-product precision), so that
    visitors can share one.
    """

    def __init__(self, config: ModelConfig, src_vocab_size: int, tgt_vocab_size: int) -> None:
        super().__init__()
        if config.embeddings.shared and src_vocab_size != tgt_vocab_size:
            raise UserError(
                "`embeddings.shared` needs one vocabulary, but the sizes are"
                f" {src_vocab_size} and {tgt_vocab_size}; share the tokenizer or set `model.embeddings.shared=false`."
            )
        self.config = config
        self.lock = threading.RLock()
        self.fused: Any = None  # what `s2s.model.fast` keeps of the weights
        src_embedding = TokenEmbedding(src_vocab_size, config)
        tgt_embedding = src_embedding
        if not config.embeddings.shared:
            tgt_embedding = TokenEmbedding(tgt_vocab_size, config)
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
        memory = self.encode(src)  # (batch, src_len, d_model)
        states = self.decode(tgt, memory, src)  # (batch, tgt_len, d_model)
        return self.project(states)  # (batch, tgt_len, vocab)

    def encode(self, src: Tensor) -> Tensor:
        """(batch, src_len) ids -> memory (batch, src_len, d_model)."""
        src_mask = masks.padding(src, self.config.ids.pad)  # (batch, 1, 1, src_len)
        return self.encoder(src, src_mask)

    def decode(self, tgt: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        """(batch, tgt_len) ids, memory (batch, src_len, d_model) -> states (batch, tgt_len, d_model)."""
        src_mask = masks.padding(src, self.config.ids.pad)  # (batch, 1, 1, src_len)
        return self.decoder(tgt, memory, src_mask)

    def project(self, states: Tensor) -> Tensor:
        """(..., d_model) -> logits (..., vocab)."""
        if self.logit_scale != 1.0:
            states = states * self.logit_scale
        return F.linear(states, self.output.weight, self.output.bias)

    @property
    def projection(self) -> Projection:
        """What `project` computes with, for a loss that never holds all the logits."""
        return Projection(self.output.weight, self.output.bias, self.logit_scale)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.output.weight.device


class Projection(NamedTuple):
    """From states to logits: weight (vocab, d_model), bias (vocab,), and what the states are multiplied by before."""

    weight: Tensor
    bias: Tensor | None = None
    scale: float = 1.0


class Encoder(nn.Module):
    """Source ids to memory: the left half of Figure 1."""

    def __init__(self, config: ModelConfig, tokens: TokenEmbedding) -> None:
        super().__init__()
        stack = config.encoder
        self.embed = Embed(config, tokens, make_position(config, stack, is_causal=False))
        self.layers = nn.ModuleList(EncoderLayer(config, stack) for _ in range(stack.n_layers))
        self.final_norm = final_norm(config, stack)

    def forward(self, src: Tensor, src_mask: Tensor) -> Tensor:
        """(batch, src_len) ids, src_mask (batch, 1, 1, src_len) -> memory (batch, src_len, d_model)."""
        order = self.embed.position.order(src.shape[1], device=src.device)
        x = self.embed(src)  # (batch, src_len, d_model)
        for layer in self.layers:
            x = layer(x, src_mask, order)
        return self.final_norm(x)


class Decoder(nn.Module):
    """Target ids and memory to the states that predict the next tokens: the right half of Figure 1."""

    def __init__(self, config: ModelConfig, tokens: TokenEmbedding) -> None:
        super().__init__()
        stack = config.decoder
        self.embed = Embed(config, tokens, make_position(config, stack, is_causal=True))
        self.layers = nn.ModuleList(DecoderLayer(config, stack) for _ in range(stack.n_layers))
        self.final_norm = final_norm(config, stack)

    def forward(self, tgt: Tensor, memory: Tensor, src_mask: Tensor, start: int = 0) -> Tensor:
        """(batch, tgt_len) ids, memory (batch, src_len, d_model) -> states (batch, tgt_len, d_model).

        `start` is the position of the first token given, where earlier ones are cached (`s2s.model.fast`). Padding
        stands at the end, where the causal mask already hides it from every real token.
        """
        tgt_len = tgt.shape[1]
        tgt_mask = masks.causal(tgt_len, start, device=tgt.device)  # (1, 1, tgt_len, key_len)
        order = self.embed.position.order(tgt_len, start, device=tgt.device)
        x = self.embed(tgt, start)  # (batch, tgt_len, d_model)
        for layer in self.layers:
            x = layer(x, memory, tgt_mask, src_mask, order)
        return self.final_norm(x)


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each inside a residual connection."""

    def __init__(self, config: ModelConfig, stack: Stack) -> None:
        super().__init__()
        self.self_attention = Attention(config, stack)
        self.self_residual = Residual(config, stack)
        self.feed_forward = FeedForward(config, stack) if stack.d_ff else None
        self.feed_forward_residual = Residual(config, stack) if stack.d_ff else None

    def forward(self, x: Tensor, src_mask: Tensor, order: Order) -> Tensor:
        """(batch, src_len, d_model) -> (batch, src_len, d_model)."""
        x = self.self_residual(x, lambda y: self.self_attention(y, y, src_mask, order))
        if self.feed_forward_residual is not None:  # None where d_ff is 0, like feed_forward
            x = self.feed_forward_residual(x, self.feed_forward)
        return x


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention to the memory, feed-forward, each inside a residual connection."""

    def __init__(self, config: ModelConfig, stack: Stack) -> None:
        super().__init__()
        self.self_attention = Attention(config, stack)
        self.self_residual = Residual(config, stack)
        self.cross_attention = Attention(config, stack)
        self.cross_residual = Residual(config, stack)
        self.feed_forward = FeedForward(config, stack) if stack.d_ff else None
        self.feed_forward_residual = Residual(config, stack) if stack.d_ff else None

    def forward(
        self, x: Tensor, memory: Tensor, tgt_mask: Tensor, src_mask: Tensor, order: Order
    ) -> Tensor:
        """(batch, tgt_len, d_model), memory (batch, src_len, d_model) -> (batch, tgt_len, d_model)."""
        x = self.self_residual(x, lambda y: self.self_attention(y, y, tgt_mask, order))
        x = self.cross_residual(x, lambda y: self.cross_attention(y, memory, src_mask))
        if self.feed_forward_residual is not None:  # None where d_ff is 0, like feed_forward
            x = self.feed_forward_residual(x, self.feed_forward)
        return x


class Embed(nn.Module):
    """Ids to the first values of the residual stream: token vectors, positions, a norm where wanted, dropout."""

    def __init__(self, config: ModelConfig, tokens: TokenEmbedding, position: Position) -> None:
        super().__init__()
        self.tokens = tokens
        self.position = position
        self.pad_id = config.ids.pad
        self.norm: nn.Module = nn.Identity()
        if config.norm.after_embeddings:
            self.norm = make_norm(config.norm, config.d_model)
        self.dropout = Dropout(config.dropout if config.embeddings.dropout else 0.0)

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        """(batch, len) ids -> (batch, len, d_model)."""
        is_real = ids.ne(self.pad_id)
        x = self.tokens(ids)  # (batch, len, d_model)
        x = self.position.add(x, is_real, start)
        return self.dropout(self.norm(x))


def final_norm(config: ModelConfig, stack: Stack) -> nn.Module:
    """The norm after the last layer, where the stack has one."""
    return make_norm(config.norm, config.d_model) if stack.final_norm else nn.Identity()


@contextlib.contextmanager
def inference(model: Transformer) -> Iterator[None]:
    """Hold the model for decoding or analysis: no dropout, no gradients; what was set before is restored."""
    with model.lock, torch.inference_mode():
        if not model.training:  # walking through all modules takes as long as ten steps of decoding
            yield
            return
        model.eval()
        model.fused = None
        try:
            yield
        finally:
            model.train()
            # The next weights differ, and a fused optimizer does not count their versions.
            model.fused = None
