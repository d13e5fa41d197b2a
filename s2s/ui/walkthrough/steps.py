"""The steps of the Walkthrough, in order."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.ui.walkthrough.attention_scores import SCORE_STEPS
from s2s.ui.walkthrough.attention_weights import WEIGHT_STEPS
from s2s.ui.walkthrough.decoder import DECODER_STEPS
from s2s.ui.walkthrough.encoder_layer import LAYER_STEPS, MEMORY_STEPS
from s2s.ui.walkthrough.feed_forward import FEED_FORWARD_STEPS
from s2s.ui.walkthrough.learning import LEARNING_STEPS
from s2s.ui.walkthrough.output import OUTPUT_STEPS
from s2s.ui.walkthrough.reading import READING_STEPS
from s2s.ui.walkthrough.step import Steps

# A slug stands in links, as `step` of `set`: a rename keeps the old one working.
STEPS: Steps = MappingProxyType(
    {
        **READING_STEPS,
        **SCORE_STEPS,
        **WEIGHT_STEPS,
        **LAYER_STEPS,
        **FEED_FORWARD_STEPS,
        **MEMORY_STEPS,
        **DECODER_STEPS,
        **OUTPUT_STEPS,
        **LEARNING_STEPS,
    }
)

# Where a step stands in the diagram of Architecture: a component, or what contains several.
WHERE: Mapping[str, str] = MappingProxyType(
    {
        "pieces": "encoder",
        "ids": "encoder.tokens",
        "embedding": "encoder.tokens",
        "position": "encoder.positions",
        **dict.fromkeys([*SCORE_STEPS, *WEIGHT_STEPS], "encoder.layer.self_attention"),
        "residual": "encoder.layer.self_residual",
        "norm": "encoder.layer.feed_forward_residual",
        **dict.fromkeys(FEED_FORWARD_STEPS, "encoder.layer.feed_forward"),
        "memory": "encoder.final_norm",
        "shifted": "decoder.tokens",
        "causal": "decoder.layer.self_attention",
        "self-attention": "decoder.layer.self_attention",
        "bridge": "decoder.layer.cross_attention",
        "decoder-feed-forward": "decoder.layer.feed_forward",
        **dict.fromkeys(OUTPUT_STEPS, "decoder.output"),
        "forcing": "decoder",
        "loss": "decoder.output",
        "update": "decoder.output",
    }
)
