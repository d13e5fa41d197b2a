"""torch's nn.Transformer with the same shape: shared embeddings, tied output, dropout as in the recipe."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from benchmarks.peers import Update, batches
from s2s.config import Recipe
from s2s.model import sinusoids
from s2s.tokenizers import PAD
from s2s.training import TrainingData

LONGEST = 512


class Plain(nn.Module):
    """The model as in torch's tutorials."""

    def __init__(self, recipe: Recipe, vocab_size: int) -> None:
        super().__init__()
        model = recipe.model
        stack = recipe.model.encoder
        self.embedding = nn.Embedding(vocab_size, model.d_model, padding_idx=PAD)
        self.positions: Tensor
        self.register_buffer("positions", sinusoids(LONGEST, model.d_model, model.positions))
        self.dropout = nn.Dropout(model.dropout)
        sizes = (model.d_model, stack.n_heads, stack.n_layers, stack.n_layers, stack.d_ff)
        self.core = nn.Transformer(*sizes, dropout=model.dropout, batch_first=True)

    def embed(self, ids: Tensor) -> Tensor:
        """(batch, len) -> (batch, len, d_model)."""
        vectors = (
            self.embedding(ids) * self.embedding.embedding_dim**0.5 + self.positions[: ids.shape[1]]
        )
        embedded: Tensor = self.dropout(vectors)
        return embedded

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Logits (batch, tgt_len, vocab)."""
        size = (tgt.shape[1], tgt.shape[1])
        causal = torch.ones(size, dtype=torch.bool, device=tgt.device).triu(1)
        pads = src.eq(PAD)
        states: Tensor = self.core(
            self.embed(src),
            self.embed(tgt),
            tgt_mask=causal,
            src_key_padding_mask=pads,
            memory_key_padding_mask=pads,
            tgt_is_causal=True,
        )
        return states @ self.embedding.weight.T


def on_our_batches(recipe: Recipe, data: TrainingData) -> Update:
    """An update with our batches: similar lengths, up to a token budget."""
    model = Plain(recipe, data.src_tokenizer.vocab_size)
    return batches.learning(model, model, recipe, batches.ours(recipe, data))


def on_tutorial_batches(recipe: Recipe, data: TrainingData) -> Update:
    """An update with 64 sentences in random order: half of each batch is padding."""
    model = Plain(recipe, data.src_tokenizer.vocab_size)
    return batches.learning(model, model, recipe, batches.tutorial(recipe, data))
