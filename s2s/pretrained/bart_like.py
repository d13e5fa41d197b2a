"""Marian, BART, mBART, Pegasus and M2M100: the names of their settings and tensors, and where the families differ.

Marian: Junczys-Dowmunt et al. 2018 (OPUS-MT); BART: Lewis et al. 2020; mBART: Liu et al. 2020; mBART-50: Tang et al.
2020; Pegasus: Zhang et al. 2020; M2M100: Fan et al. 2021; NLLB: NLLB Team 2022.
"""

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
from s2s.pretrained.family import Family, Json, activation, single

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


def bart(given: Json) -> ModelConfig:
    """BART's config as ours: post-norm, with learned positions and a norm after the embeddings."""
    norm = Norm("layer", "post", after_embeddings=True)
    return model_config(given, learned_positions(given), norm, final_norm=False)


def mbart(given: Json) -> ModelConfig:
    """mBART's config as ours: BART's, but pre-norm."""
    norm = Norm("layer", "pre", after_embeddings=True)
    return model_config(given, learned_positions(given), norm, final_norm=True)


def marian(given: Json) -> ModelConfig:
    """Marian's config as ours: the paper's transformer, its sines before its cosines."""
    positions = Positions("sinusoidal", layout="halves")
    return model_config(given, positions, Norm("layer", "post"), final_norm=False)


def pegasus(given: Json) -> ModelConfig:
    """Pegasus's config as ours: pre-norm, with Marian's positions."""
    positions = Positions("sinusoidal", layout="halves")
    return model_config(given, positions, Norm("layer", "pre"), final_norm=True)


def m2m100(given: Json) -> ModelConfig:
    """M2M100's config as ours: pre-norm; positions are counted from the padding id on, over real tokens only."""
    positions = Positions(
        "sinusoidal",
        layout="halves",
        full_span=True,
        offset=single(given["pad_token_id"]) + 1,
        skip_padding=True,
    )
    given = {"scale_embedding": True, **given}  # which this family alone takes for granted
    return model_config(given, positions, Norm("layer", "pre"), final_norm=True)


TABLES = (SINUSOIDS, VERSIONS)
MARIAN = Family(label="Marian", config=marian, names=NAMES, dropped=TABLES)
BART = Family(label="BART", config=bart, names=NAMES, tokenizer="bpe", dropped=(VERSIONS,))
MBART = Family(label="mBART", config=mbart, names=NAMES, dropped=(VERSIONS,))
PEGASUS = Family(label="Pegasus", config=pegasus, names=NAMES, dropped=TABLES)
M2M100 = Family(
    label="M2M100 and NLLB", config=m2m100, names=NAMES, tokenizer="bpe", dropped=TABLES
)
