"""What Marian, BART, mBART, Pegasus and M2M100 have in common: the names of their settings and tensors."""

from __future__ import annotations

from typing import Any

from s2s.config import (
    Embeddings,
    FeedForwardConfig,
    ModelConfig,
    Norm,
    Output,
    Positions,
    Stack,
)
from s2s.pretrained.family import Json, activation

LEARNED_OFFSET = 2  # rows of the table before the first position's


def model_config(given: Json, positions: Positions, norm: Norm, *, final_norm: bool) -> ModelConfig:
    """The model config that BART's relatives share; they differ in positions and norms."""
    return ModelConfig(
        d_model=given["d_model"],
        encoder=_stack(given, "encoder", final_norm),
        decoder=_stack(given, "decoder", final_norm),
        positions=positions,
        norm=norm,
        feed_forward=FeedForwardConfig(activation(given["activation_function"])),
        embeddings=Embeddings(scaled=bool(given.get("scale_embedding"))),
        output=Output(),
        dropout=given.get("dropout", 0.1),
    )


def _stack(given: Json, side: str, final_norm: bool) -> Stack:
    def own(name: str) -> Any:
        return given[f"{side}_{name}"]

    return Stack(
        n_layers=own("layers"),
        n_heads=own("attention_heads"),
        d_ff=own("ffn_dim"),
        final_norm=final_norm,
    )


def learned_positions(given: Json) -> Positions:
    """The learned positions of BART and mBART."""
    return Positions("learned", given["max_position_embeddings"], offset=LEARNED_OFFSET)


NAMES = (
    (r"^model\.", ""),
    (r"^shared", "encoder.embed.tokens"),
    (r"embed_tokens", "embed.tokens"),
    (r"embed_positions", "embed.position.table"),
    (r"layernorm_embedding", "embed.norm"),
    (r"^(encoder|decoder)\.layer_norm", r"\1.final_norm"),
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
    (r"^final_logits_bias", "output.bias"),
)
VERSIONS = r"(model\.)?(en|de)coder\.version"  # which old files hold
# Old files hold tables of sines and cosines, too, which are computed.
SINUSOIDS = r"(model\.)?(en|de)coder\.embed_positions\.weights?"
