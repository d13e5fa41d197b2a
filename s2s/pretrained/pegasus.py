"""Pegasus (Zhang et al. 2020)."""

from __future__ import annotations

from s2s.config import ModelConfig, Norm, Positions
from s2s.pretrained.bart_like import NAMES, SINUSOIDS, VERSIONS, model_config
from s2s.pretrained.family import Family, Json


def config(given: Json) -> ModelConfig:
    """PEGASUS's config as ours: pre-norm, with Marian's positions."""
    positions = Positions("sinusoidal", layout="halves")
    return model_config(given, positions, Norm("layer", "pre"), final_norm=True)


FAMILY = Family(label="Pegasus", config=config, names=NAMES, dropped=(SINUSOIDS, VERSIONS))
