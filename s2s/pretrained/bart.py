"""BART (Lewis et al. 2020)."""

from __future__ import annotations

from s2s.config import ModelConfig, Norm
from s2s.pretrained.bart_like import NAMES, VERSIONS, learned_positions, model_config
from s2s.pretrained.family import Family, Json


def config(given: Json) -> ModelConfig:
    """BART's config as ours: post-norm, with learned positions and a norm after the embeddings."""
    norm = Norm("layer", "post", after_embeddings=True)
    return model_config(given, learned_positions(given), norm, final_norm=False)


FAMILY = Family(label="BART", config=config, names=NAMES, tokenizer="bpe", dropped=(VERSIONS,))
