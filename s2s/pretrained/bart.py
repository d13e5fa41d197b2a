"""BART (Lewis et al. 2020)."""

from __future__ import annotations

from s2s.config import ModelConfig, Norm, SpecialIds
from s2s.pretrained.bart_like import NAMES, VERSIONS, learned_positions, model_config
from s2s.pretrained.family import Family, Json, special_ids


def config(given: Json) -> ModelConfig:
    """Post-norm, with learned positions and a norm after the embeddings."""
    norm = Norm("layer", "post", after_embeddings=True)
    return model_config(given, learned_positions(given), norm, final_norm=False)


def ids(given: Json) -> SpecialIds:
    """`</s>` starts a target."""
    return special_ids(given)


FAMILY = Family(
    label="BART", config=config, ids=ids, names=NAMES, tokenizer="bpe", dropped=(VERSIONS,)
)
