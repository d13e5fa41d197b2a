"""transformers' Marian, built from a config of the same shape; its own defaults leave attention without dropout."""

from __future__ import annotations

from torch import Tensor
from transformers import MarianConfig, MarianMTModel

from benchmarks.peers import Update, batches
from s2s.config import Recipe
from s2s.tokenizers import BOS, EOS, PAD
from s2s.train import TrainingData


def shape(recipe: Recipe, vocab_size: int) -> MarianConfig:
    """The recipe's model in Marian's words."""
    model, encoder, decoder = recipe.model, recipe.model.encoder, recipe.model.decoder
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


def on_our_batches(recipe: Recipe, data: TrainingData) -> Update:
    """The loss is computed outside of it, for its label smoothing."""
    model = MarianMTModel(shape(recipe, data.src_tokenizer.vocab_size))

    def logits(src: Tensor, tgt: Tensor) -> Tensor:
        found: Tensor = model(input_ids=src, attention_mask=src.ne(PAD), decoder_input_ids=tgt).logits
        return found

    return batches.learning(model, logits, recipe, batches.ours(recipe, data))
