"""T5 (Raffel et al. 2020), and T5 v1.1 with its fine-tuned Flan-T5: gated, with an output matrix of its own."""

from __future__ import annotations

from s2s.config import (
    AttentionConfig,
    Embeddings,
    FeedForwardConfig,
    ModelConfig,
    Norm,
    Output,
    Positions,
    Stack,
)
from s2s.pretrained.family import Family, Json, activation

GATED = "gated-"
MAX_DISTANCE = 128  # where an old config.json does not say it


def config(given: Json) -> ModelConfig:
    """T5's config as ours."""
    # as T5 of before version 1.1 does not say
    usual = "gated-gelu" if given.get("model_type") == "mt5" else "relu"
    named = given.get("feed_forward_proj", usual)
    name = named.removeprefix(GATED)
    is_gated = named.startswith(GATED)
    # `gated-gelu` means the approximation by tanh
    kind = "gelu_tanh" if is_gated and name == "gelu" else activation(name)
    return ModelConfig(
        d_model=given["d_model"],
        encoder=_stack(given, given["num_layers"]),
        decoder=_stack(given, given.get("num_decoder_layers") or given["num_layers"]),
        positions=Positions(
            "relative",
            buckets=given["relative_attention_num_buckets"],
            max_distance=given.get("relative_attention_max_distance", MAX_DISTANCE),
        ),
        norm=Norm("rms", "pre", eps=given["layer_norm_epsilon"]),
        attention=AttentionConfig(bias=False, scaled=False),
        feed_forward=FeedForwardConfig(kind, gated=is_gated, bias=False),
        embeddings=Embeddings(scaled=False),
        output=Output(scaled=_scales_output(given)),
        dropout=given.get("dropout_rate", 0.1),
    )


def _stack(given: Json, n_layers: int) -> Stack:
    return Stack(
        n_layers=n_layers, n_heads=given["num_heads"], d_head=given["d_kv"], d_ff=given["d_ff"]
    )


def _scales_output(given: Json) -> bool:
    """Whether the output is scaled: newer files always call the weights tied, and say here whether they were; mT5 never
    scales.
    """
    if given.get("model_type") == "mt5":
        return False
    return bool(given.get("scale_decoder_outputs", given.get("tie_word_embeddings", True)))


NAMES = (
    (r"^shared", "encoder.embed.tokens"),
    (r"embed_tokens", "embed.tokens"),
    (r"block\.0\.layer\.0\.SelfAttention\.relative_attention_bias", "embed.position.table"),
    (r"block", "layers"),
    (r"layer\.0\.layer_norm", "self_residual.norm"),
    (r"(decoder.*)layer\.1\.layer_norm", r"\1cross_residual.norm"),
    (r"layer\.[12]\.layer_norm", "feed_forward_residual.norm"),
    (r"layer\.0\.SelfAttention", "self_attention"),
    (r"layer\.1\.EncDecAttention", "cross_attention"),
    (r"layer\.[12]\.DenseReluDense", "feed_forward"),
    (r"wi_0", "gate"),
    (r"wi(_1)?\b", "up"),
    (r"wo\b", "down"),
    (r"attention\.q\b", "attention.query"),
    (r"attention\.k\b", "attention.key"),
    (r"attention\.v\b", "attention.value"),
    (r"attention\.o\b", "attention.output"),
    (r"final_layer_norm", "final_norm"),
    (r"^lm_head", "output"),
)

FAMILY = Family(
    label="T5",
    config=config,
    names=NAMES,
    # published files hold this table, which no version of the model reads
    dropped=(r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight",),
)
