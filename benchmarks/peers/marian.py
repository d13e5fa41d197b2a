"""transformers' Marian with a config of the same shape; by its defaults, attention has no dropout."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import MarianConfig, MarianMTModel

from benchmarks.peers import Update, batches
from benchmarks.peers.decoding import TOKENS, Decode, Ids, on_device, padded, random_model
from s2s.config import Recipe
from s2s.tokenizers import BOS, EOS, PAD
from s2s.training import TrainingData

# Their parameter names to ours: every row is applied, in order.
NAMES = (
    (r"^model\.", ""),
    (r"^shared", "encoder.embed.tokens"),
    (r"embed_tokens", "embed.tokens"),
    (r"self_attn_layer_norm", "self_residual.norm"),
    (r"encoder_attn_layer_norm", "cross_residual.norm"),
    (r"final_layer_norm", "feed_forward_residual.norm"),
    (r"self_attn", "self_attention"),
    (r"encoder_attn", "cross_attention"),
    (r"q_proj", "query"),
    (r"k_proj", "key"),
    (r"v_proj", "value"),
    (r"out_proj", "output"),
    (r"fc1", "feed_forward.up"),
    (r"fc2", "feed_forward.down"),
    (r"^lm_head", "output"),
)


def shape(recipe: Recipe, vocab_size: int) -> MarianConfig:
    """The recipe's model as Marian's configuration."""
    model = recipe.model
    encoder = recipe.model.encoder
    decoder = recipe.model.decoder
    return MarianConfig(
        vocab_size=vocab_size,
        d_model=model.d_model,
        encoder_layers=encoder.n_layers,
        encoder_attention_heads=encoder.n_heads,
        encoder_ffn_dim=encoder.d_ff,
        decoder_layers=decoder.n_layers,
        decoder_attention_heads=decoder.n_heads,
        decoder_ffn_dim=decoder.d_ff,
        activation_function=model.feed_forward.activation,
        dropout=model.dropout,
        scale_embedding=model.embeddings.scaled,
        max_position_embeddings=512,
        pad_token_id=PAD,
        eos_token_id=EOS,
        decoder_start_token_id=BOS,
        forced_eos_token_id=None,
        use_cache=False,
    )


def on_our_batches(recipe: Recipe, data: TrainingData, *, is_compiled: bool = False) -> Update:
    """An update with our batches; the loss is computed outside the model, for label smoothing."""
    model = MarianMTModel(shape(recipe, data.src_tokenizer.vocab_size))
    if is_compiled:
        for layer in (*model.model.encoder.layers, *model.model.decoder.layers):
            layer.compile(dynamic=True)

    def logits(src: Tensor, tgt: Tensor) -> Tensor:
        found: Tensor = model(
            input_ids=src, attention_mask=src.ne(PAD), decoder_input_ids=tgt
        ).logits
        return found

    return batches.learning(model, logits, recipe, batches.ours(recipe, data))


def decoder(recipe: Recipe, vocab_size: int) -> Decode:
    """Its `generate`, with its cache."""
    model: Any = on_device(with_our_weights(recipe, vocab_size), recipe)

    def decode(sources: Sequence[Ids], num_beams: int) -> list[list[int]]:
        src = padded(sources).to(model.device)
        limits = {"min_new_tokens": TOKENS, "max_new_tokens": TOKENS}
        found = model.generate(
            src,
            attention_mask=src.ne(PAD),
            num_beams=num_beams,
            do_sample=False,
            use_cache=True,
            **limits,
        )
        targets: list[list[int]] = found[:, 1:].tolist()  # without the start id
        return targets

    return decode


def with_our_weights(recipe: Recipe, vocab_size: int) -> MarianMTModel:
    """Marian with the weights of our random model."""
    theirs = MarianMTModel(shape(recipe, vocab_size))
    weights = random_model(recipe, vocab_size).state_dict()
    theirs.train(False)
    with torch.no_grad():
        for name, weight in theirs.named_parameters():
            if weight.requires_grad:  # not the sinusoids
                weight.copy_(weights[our_name(name)])
    return theirs


def our_name(name: str) -> str:
    """Our name for one of their parameters."""
    for pattern, replacement in NAMES:
        name = re.sub(pattern, replacement, name)
    return name
