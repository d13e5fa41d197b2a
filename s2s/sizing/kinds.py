"""The kinds of components, as data: a label, a sentence for newcomers, a source, and the settings that shape it."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

VASWANI = "Vaswani et al. 2017"


class ComponentKind(NamedTuple):
    """One row. `settings` are keys below `model`; `{stack}` stands for `encoder` or `decoder`."""

    label: str
    group: str  # one of COMPONENT_GROUPS; `feed-forward` gets the stack's name in front
    about: str
    source: str
    settings: tuple[str, ...]


NORM_SETTINGS = ("norm.kind", "norm.place", "norm.eps", "norm.bias")
ATTENTION_SETTINGS = (
    "{stack}.n_heads",
    "{stack}.d_head",
    "attention.bias",
    "attention.output_projection",
    "attention.scaled",
    "attention.dropout",
)
POSITION_SETTINGS = (
    "positions.kind",
    "positions.max_length",
    "positions.offset",
    "positions.skip_padding",
    "positions.layout",
    "positions.base",
    "positions.full_span",
    "positions.shared",
    "positions.buckets",
    "positions.max_distance",
)
FEED_FORWARD_SETTINGS = (
    "{stack}.d_ff",
    "feed_forward.activation",
    "feed_forward.gated",
    "feed_forward.bias",
    "feed_forward.dropout",
)

COMPONENT_KINDS: MappingProxyType[str, ComponentKind] = MappingProxyType(
    {
        "tokens": ComponentKind(
            "Token embedding",
            "embeddings",
            "A table with one row of numbers per vocabulary entry: embedding a token means looking up its row.",
            f"{VASWANI}, section 3.4",
            ("embeddings.shared", "embeddings.scaled", "embeddings.dropout"),
        ),
        "positions": ComponentKind(
            "Positions",
            "embeddings",
            "Tells the model the order of the tokens; without it a sentence would be a bag of words.",
            f"{VASWANI}, section 3.5",
            POSITION_SETTINGS,
        ),
        "embedding_norm": ComponentKind(
            "Embedding norm",
            "norms",
            "Normalizes the sum of token embedding and position before the first layer reads it.",
            "Lewis et al. 2020 (BART)",
            (*NORM_SETTINGS, "norm.after_embeddings"),
        ),
        "self_attention": ComponentKind(
            "Self-attention",
            "encoder attention",
            "Every source token attends to all source tokens and gathers information from the relevant ones.",
            f"{VASWANI}, section 3.2",
            ATTENTION_SETTINGS,
        ),
        "masked_attention": ComponentKind(
            "Masked self-attention",
            "decoder attention",
            "Every target token attends to itself and the tokens before it, never to later ones: those are yet to be"
            " predicted.",
            f"{VASWANI}, section 3.2.3",
            ATTENTION_SETTINGS,
        ),
        "cross_attention": ComponentKind(
            "Cross-attention",
            "cross-attention",
            "Every target token attends to the encoder's output: this is where the target reads the source.",
            f"{VASWANI}, section 3.2.3",
            ATTENTION_SETTINGS,
        ),
        "residual": ComponentKind(
            "Add and norm",
            "norms",
            "Adds the sublayer's output to the residual stream, and normalizes.",
            f"{VASWANI}, section 3.1",
            (*NORM_SETTINGS, "{stack}.dropout"),
        ),
        "feed_forward": ComponentKind(
            "Feed-forward",
            "feed-forward",
            "A two-layer network with a wide hidden layer, applied to each token separately.",
            f"{VASWANI}, section 3.3",
            FEED_FORWARD_SETTINGS,
        ),
        "final_norm": ComponentKind(
            "Final norm",
            "norms",
            "One more norm after the last layer: with pre-norm layers, nothing else normalizes the residual stream.",
            "Xiong et al. 2020, section 3",
            (*NORM_SETTINGS, "{stack}.final_norm"),
        ),
        "output": ComponentKind(
            "Output projection",
            "output",
            "Multiplies the decoder's last vector by one row per target vocabulary entry: a logit for each possible"
            " next token.",
            f"{VASWANI}, section 3.4",
            ("output.tied", "output.bias", "output.scaled"),
        ),
    }
)
COMPONENT_GROUPS = (
    "embeddings",
    "encoder attention",
    "encoder feed-forward",
    "decoder attention",
    "cross-attention",
    "decoder feed-forward",
    "norms",
    "output",
)
