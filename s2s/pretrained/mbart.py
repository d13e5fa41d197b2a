"""mBART (Liu et al. 2020) and mBART-50 (Tang et al. 2020)."""

from __future__ import annotations

from s2s.config import ModelConfig, Norm
from s2s.pretrained.bart_like import NAMES, VERSIONS, learned_positions, model_config
from s2s.pretrained.family import Family, Json


def config(given: Json) -> ModelConfig:
    norm = Norm("layer", "pre", after_embeddings=True)
    return model_config(given, learned_positions(given), norm, final_norm=True)


FAMILY = Family(label="mBART", config=config, names=NAMES, dropped=(VERSIONS,))
