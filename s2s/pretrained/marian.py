"""Marian (Junczys-Dowmunt et al. 2018): the translation models of OPUS-MT."""

from __future__ import annotations

from s2s.config import ModelConfig, Norm, Positions
from s2s.pretrained.bart_like import NAMES, SINUSOIDS, VERSIONS, model_config
from s2s.pretrained.family import Family, Json


def config(given: Json) -> ModelConfig:
    """Marian's config as ours: the paper's transformer, with all sines before all cosines."""
    positions = Positions("sinusoidal", layout="halves")
    return model_config(given, positions, Norm("layer", "post"), final_norm=False)


FAMILY = Family(label="Marian", config=config, names=NAMES, dropped=(SINUSOIDS, VERSIONS))
