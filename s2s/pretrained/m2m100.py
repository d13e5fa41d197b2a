"""M2M100 (Fan et al. 2021) and NLLB (NLLB Team 2022)."""

from __future__ import annotations

from s2s.config import ModelConfig, Norm, Positions
from s2s.pretrained.bart_like import NAMES, SINUSOIDS, VERSIONS, model_config
from s2s.pretrained.family import Family, Json, single


def config(given: Json) -> ModelConfig:
    """M2M100's config as ours: pre-norm; positions count real tokens only, from the padding id on."""
    positions = Positions(
        "sinusoidal",
        layout="halves",
        full_span=True,
        offset=single(given["pad_token_id"]) + 1,
        skip_padding=True,
    )
    given = {"scale_embedding": True, **given}  # which this family alone takes for granted
    return model_config(given, positions, Norm("layer", "pre"), final_norm=True)


FAMILY = Family(
    label="M2M100 and NLLB",
    config=config,
    names=NAMES,
    tokenizer="bpe",
    dropped=(SINUSOIDS, VERSIONS),
)
